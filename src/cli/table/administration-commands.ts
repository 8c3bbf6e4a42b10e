// Entries of the table: projects, keys and users.
import type { Command } from '../command.ts';
import { YES } from '../terminal/confirm.ts';

const PROJECT = { project: { value: 'PROJECT', about: 'Project, by name or id (default the only one)' } };

const QUOTA_OF = { ...PROJECT, key: { value: 'KEY_ID', about: 'The quota of this API key, by its id' } };
const bound = (what: string) => ({
  value: 'N',
  about: `${what}; 0 for no limit, none for what the settings say`,
});

export const administrationCommands: readonly Command[] = [
  {
    path: 'project list',
    summary: 'List the projects of the organization',
    partner: 'administration',
    run: async (words, io) => (await import('../commands/administration.ts')).listProjects(words, io),
  },
  {
    path: 'project create',
    summary: 'Create a project',
    arguments: 'NAME',
    partner: 'administration',
    run: async (words, io) => (await import('../commands/administration.ts')).createProject(words, io),
  },
  {
    path: 'project delete',
    summary: 'Delete an empty project, by its name or id',
    arguments: 'PROJECT',
    options: YES,
    partner: 'administration',
    run: async (words, io) => (await import('../commands/administration.ts')).deleteProject(words, io),
  },
  {
    path: 'key list',
    summary: 'List the API keys of a project',
    options: PROJECT,
    partner: 'administration',
    run: async (words, io) => (await import('../commands/administration.ts')).listKeys(words, io),
  },
  {
    path: 'key create',
    summary: 'Create an API key and print it, only this once',
    arguments: 'NAME',
    options: {
      ...PROJECT,
      role: {
        value: 'ROLE',
        isRepeated: true,
        about: 'Role of the key (default ProjectEditor); may be repeated',
      },
    },
    examples: ['pinyon key create reader --role DataPlaneViewer > key.txt'],
    partner: 'administration',
    run: async (words, io) => (await import('../commands/administration.ts')).createKey(words, io),
  },
  {
    path: 'key delete',
    summary: 'Delete an API key, by its id',
    arguments: 'KEY_ID',
    options: YES,
    partner: 'administration',
    run: async (words, io) => (await import('../commands/administration.ts')).deleteKey(words, io),
  },
  {
    path: 'quota show',
    summary: 'Show what a project, or a key, may use and uses',
    options: QUOTA_OF,
    partner: 'administration',
    run: async (words, io) => (await import('../commands/quotas.ts')).showQuota(words, io),
  },
  {
    path: 'quota set',
    summary: 'Set what a project, or a key, may use; what is not given stays',
    options: {
      ...QUOTA_OF,
      'requests-per-second': bound('Requests a second'),
      'write-megabytes-per-second': bound('Megabytes of writes a second'),
      records: bound('Records of a project'),
      'storage-megabytes': bound('Megabytes of its indexes on disk'),
      indexes: bound('Indexes of a project'),
      files: bound('Files of its assistants'),
    },
    examples: ['pinyon quota set --project search --requests-per-second 200 --records 1000000'],
    partner: 'administration',
    run: async (words, io) => (await import('../commands/quotas.ts')).setQuota(words, io),
  },
  {
    path: 'user list',
    summary: 'List the people of the organization',
    partner: 'administration',
    run: async (words, io) => (await import('../commands/administration.ts')).listUsers(words, io),
  },
  {
    path: 'user invite',
    summary: 'Invite a person, and print the link that accepts',
    arguments: 'EMAIL',
    options: {
      role: { value: 'ROLE', about: 'Role in the organization (default OrgMember)' },
      project: { value: 'PROJECT', about: 'A project that the person gets a role in, by name or id' },
      'project-role': { value: 'ROLE', about: 'With --project: that role (default ProjectMember)' },
    },
    partner: 'administration',
    run: async (words, io) => (await import('../commands/administration.ts')).inviteUser(words, io),
  },
  {
    path: 'user remove',
    summary: 'Remove a person from the organization, by e-mail address or id',
    arguments: 'USER',
    options: YES,
    partner: 'administration',
    run: async (words, io) => (await import('../commands/administration.ts')).removeUser(words, io),
  },
];
