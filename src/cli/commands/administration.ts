// pinyon project, pinyon key, pinyon user: administration, with the credentials of a service account.
import type { JsonObject } from '../../domain/json.ts';
import { nearestName } from '../../domain/nearest-name.ts';
import { ApiClient } from '../client/api-client.ts';
import { everyPage } from '../client/every-page.ts';
import { CliProblem, EXIT_DONE, type Io, type ParsedWords } from '../command.ts';
import { confirm } from '../terminal/confirm.ts';
import { print, printRows } from '../terminal/print.ts';

const PROJECTS = { id: 'ID', name: 'NAME', created_at: 'CREATED' };
const KEYS = { id: 'ID', name: 'NAME', roles: 'ROLES' };
const USERS = { id: 'ID', email: 'EMAIL', name: 'NAME', created_at: 'CREATED' };

export async function listProjects(words: ParsedWords, io: Io): Promise<number> {
  printRows(words, io, { json: await projectsOf(await ApiClient.ofOwner(words, io)), columns: PROJECTS });
  return EXIT_DONE;
}

export async function createProject(words: ParsedWords, io: Io): Promise<number> {
  const owner = await ApiClient.ofOwner(words, io);
  const json = await owner.call('POST', '/admin/projects', {
    body: { name: words.positionals[0] },
    isOnce: true,
  });
  print(words, io, { json, text: `Project ${json.name} is created; its id is ${json.id}.` });
  return EXIT_DONE;
}

export async function deleteProject(words: ParsedWords, io: Io): Promise<number> {
  const owner = await ApiClient.ofOwner(words, io);
  const { id, name } = await projectOf(owner, words.positionals[0]);
  await confirm(words, io, `Project ${name} will be deleted.`);
  await owner.call('DELETE', `/admin/projects/${id}`);
  print(words, io, { json: { id, name, deleted: true }, text: `Project ${name} is deleted.` });
  return EXIT_DONE;
}

export async function listKeys(words: ParsedWords, io: Io): Promise<number> {
  const owner = await ApiClient.ofOwner(words, io);
  const { id } = await projectOf(owner, words.text('project'));
  const json = await Array.fromAsync(everyPage(owner, `/admin/projects/${id}/api-keys`));
  const rows = json.map(({ roles, ...key }) => ({ ...key, roles: namesOf(roles) }));
  printRows(words, io, { json, rows, columns: KEYS });
  return EXIT_DONE;
}

/** The key stands alone on standard output, so that a script can take it. */
export async function createKey(words: ParsedWords, io: Io): Promise<number> {
  const owner = await ApiClient.ofOwner(words, io);
  const { id, name: project } = await projectOf(owner, words.text('project'));
  const roles = words.texts('role');
  const [name] = words.positionals;
  const json = await owner.call('POST', `/admin/projects/${id}/api-keys`, {
    body: { name, ...(roles.length === 0 ? {} : { roles }) },
    isOnce: true,
  });
  if (!words.flag('json')) io.err(`Key ${name} of project ${project}, shown only this once:\n`);
  print(words, io, { json, text: String(json.value) });
  return EXIT_DONE;
}

export async function deleteKey(words: ParsedWords, io: Io): Promise<number> {
  const [id = ''] = words.positionals;
  const owner = await ApiClient.ofOwner(words, io);
  const path = `/admin/api-keys/${encodeURIComponent(id)}`;
  const { name } = await owner.call('GET', path);
  await confirm(words, io, `Key ${name} will stop working at once.`);
  await owner.call('DELETE', path);
  print(words, io, { json: { id, name, deleted: true }, text: `Key ${name} is deleted.` });
  return EXIT_DONE;
}

export async function listUsers(words: ParsedWords, io: Io): Promise<number> {
  const owner = await ApiClient.ofOwner(words, io);
  const json = await Array.fromAsync(everyPage(owner, '/admin/users?limit=100'));
  printRows(words, io, { json, columns: USERS });
  return EXIT_DONE;
}

export async function inviteUser(words: ParsedWords, io: Io): Promise<number> {
  const owner = await ApiClient.ofOwner(words, io);
  const [email] = words.positionals;
  const project = words.text('project');
  const bindings = [
    { resource_type: 'organization', role: words.text('role') ?? 'OrgMember' },
    ...(project === undefined
      ? []
      : [
          {
            resource_type: 'project',
            resource_id: (await projectOf(owner, project)).id,
            role: words.text('project-role') ?? 'ProjectMember',
          },
        ]),
  ];
  const json = await owner.call('POST', '/admin/invites', {
    body: { email, role_bindings: bindings },
    isOnce: true,
  });
  print(words, io, { json, text: `${email} is invited by this link: ${json.accept_url}` });
  return EXIT_DONE;
}

export async function removeUser(words: ParsedWords, io: Io): Promise<number> {
  const owner = await ApiClient.ofOwner(words, io);
  const [given = ''] = words.positionals;
  const users = await Array.fromAsync(everyPage(owner, '/admin/users?limit=100'));
  const { id, email } = oneOf(users, given, { what: 'user', name: 'email' });
  await confirm(words, io, `${email} will be removed from the organization.`);
  await owner.call('DELETE', `/admin/users/${id}`);
  print(words, io, { json: { id, email, removed: true }, text: `${email} is removed.` });
  return EXIT_DONE;
}

function projectsOf(owner: ApiClient): Promise<JsonObject[]> {
  return Array.fromAsync(everyPage(owner, '/admin/projects'));
}

/** By name or id; without either, the only one. @throws CliProblem */
export async function projectOf(owner: ApiClient, given: string | undefined): Promise<JsonObject> {
  const projects = await projectsOf(owner);
  const [only, ...others] = projects;
  if (given !== undefined) return oneOf(projects, given, { what: 'project', name: 'name' });
  if (only !== undefined && others.length === 0) return only;
  throw new CliProblem(`Pass --project: ${projects.map(({ name }) => name).join(', ')}.`);
}

function oneOf(
  all: readonly JsonObject[],
  given: string,
  { what, name }: { readonly what: string; readonly name: string },
): JsonObject {
  const found = all.filter((each) => each.id === given || each[name] === given);
  const [first, ...others] = found;
  if (first !== undefined && others.length === 0) return first;
  if (first !== undefined)
    throw new CliProblem(
      `Several have the name ${given}; give an id: ${found.map(({ id }) => id).join(', ')}.`,
    );
  const nearest = nearestName(
    given,
    all.map((each) => String(each[name])),
  );
  throw new CliProblem(`There is no ${what} ${given}.${nearest === null ? '' : ` Is ${nearest} meant?`}`);
}

function namesOf(roles: unknown): string {
  return Array.isArray(roles) ? roles.join(', ') : '';
}
