// pinyon assistant: lists, creates, describes and deletes assistants and their files.
import { NEWEST_API_VERSION } from '../../../domain/api-version.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { ApiClient } from '../../client/api-client.ts';
import { CliProblem, EXIT_DONE, type Io, type ParsedWords } from '../../command.ts';
import { confirm } from '../../terminal/confirm.ts';
import { print, printRows } from '../../terminal/print.ts';
import { counted } from '../../terminal/watch.ts';

export const VERSION = NEWEST_API_VERSION;
const ASSISTANTS = { name: 'NAME', status: 'STATUS', instructions: 'INSTRUCTIONS', created_at: 'CREATED' };
const FILES = { id: 'ID', name: 'NAME', size: 'BYTES', status: 'STATUS', error_message: 'ERROR' };
const PAGE = 100;

export async function listAssistants(words: ParsedWords, io: Io): Promise<number> {
  const client = await ApiClient.of(words, io);
  const json = await Array.fromAsync(pages(client, '/assistant/assistants', 'assistants'));
  printRows(words, io, { json, columns: ASSISTANTS });
  return EXIT_DONE;
}

export async function createAssistant(words: ParsedWords, io: Io): Promise<number> {
  const client = await ApiClient.of(words, io);
  const instructions = words.text('instructions');
  const json = await client.call('POST', '/assistant/assistants', {
    version: VERSION,
    body: { name: words.positionals[0], ...(instructions === undefined ? {} : { instructions }) },
    isOnce: true,
  });
  print(words, io, { json, text: `Assistant ${json.name} is created.` });
  return EXIT_DONE;
}

export async function describeAssistant(words: ParsedWords, io: Io): Promise<number> {
  const client = await ApiClient.of(words, io);
  const json = await client.call('GET', pathOf(words), { version: VERSION });
  printRows(words, io, { json, rows: [json], columns: ASSISTANTS });
  return EXIT_DONE;
}

export async function deleteAssistant(words: ParsedWords, io: Io): Promise<number> {
  const client = await ApiClient.of(words, io);
  const [name = ''] = words.positionals;
  const files = await filesOf(client, name);
  await confirm(words, io, `Assistant ${name} with ${counted(files.length, 'file')} will be deleted.`);
  await client.call('DELETE', pathOf(words), { version: VERSION });
  print(words, io, { json: { name, deleted: true }, text: `Assistant ${name} is deleted.` });
  return EXIT_DONE;
}

export async function listFiles(words: ParsedWords, io: Io): Promise<number> {
  const [name = ''] = words.positionals;
  const json = await filesOf(await ApiClient.of(words, io), name);
  printRows(words, io, { json, columns: FILES });
  return EXIT_DONE;
}

export async function deleteFile(words: ParsedWords, io: Io): Promise<number> {
  const client = await ApiClient.of(words, io);
  const [name = '', given = ''] = words.positionals;
  const files = (await filesOf(client, name)).filter((each) => each.id === given || each.name === given);
  const [file, ...others] = files;
  if (file === undefined) throw new CliProblem(`Assistant ${name} has no file ${given}.`);
  if (others.length > 0)
    throw new CliProblem(
      `Several files have the name ${given}; give an id: ${files.map(({ id }) => id).join(', ')}.`,
    );
  const path = `/assistant/files/${encodeURIComponent(name)}/${file.id}`;
  await confirm(words, io, `File ${file.name} of assistant ${name} will be deleted.`);
  const json = await client.call('DELETE', path, { version: VERSION });
  print(words, io, { json, text: `File ${file.name} is being deleted.` });
  return EXIT_DONE;
}

/** The files of the assistant `name`. */
export function filesOf(client: ApiClient, name: string): Promise<JsonObject[]> {
  return Array.fromAsync(pages(client, `/assistant/files/${encodeURIComponent(name)}`, 'files'));
}

async function* pages(client: ApiClient, path: string, field: string): AsyncGenerator<JsonObject> {
  for (let token = ''; ; ) {
    const query = new URLSearchParams({
      limit: String(PAGE),
      ...(token === '' ? {} : { pagination_token: token }),
    });
    const page = await client.call('GET', `${path}?${query}`, { version: VERSION });
    yield* page[field] as readonly JsonObject[];
    const { next } = (page.pagination ?? {}) as { readonly next?: unknown };
    if (typeof next !== 'string' || next === '') return;
    token = next;
  }
}

function pathOf({ positionals: [name = ''] }: ParsedWords): string {
  return `/assistant/assistants/${encodeURIComponent(name)}`;
}
