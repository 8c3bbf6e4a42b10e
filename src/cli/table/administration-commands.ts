// Entries of the table: projects, keys and users.
import type { Command } from '../command.ts';
import { YES } from '../terminal/confirm.ts';

const PROJECT = { project: { value: 'PROJECT', about: 'Project, by name or id (default the only one)' } };

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
