// pinyon namespace: lists, creates, describes and deletes the namespaces of an index.
import { ApiClient } from '../client/api-client.ts';
import { everyPage } from '../client/every-page.ts';
import { momentHeaders } from '../client/index-target.ts';
import { EXIT_DONE, type Io, type ParsedWords } from '../command.ts';
import { confirm } from '../terminal/confirm.ts';
import { print, printRows } from '../terminal/print.ts';
import { counted } from '../terminal/watch.ts';

const COLUMNS = { name: 'NAME', record_count: 'RECORDS' };
const PAGE = 100;

export async function listNamespaces(words: ParsedWords, io: Io): Promise<number> {
  const index = await indexOf(words, io);
  const prefix = words.text('prefix');
  const query = prefix === undefined ? '' : `&prefix=${encodeURIComponent(prefix)}`;
  const json = await Array.fromAsync(everyPage(index, `/namespaces?limit=${PAGE}${query}`, 'namespaces'));
  const rows = json.map((each) => ({ ...each, record_count: Number(each.record_count) }));
  printRows(words, io, { json, rows, columns: COLUMNS });
  return EXIT_DONE;
}

export async function createNamespace(words: ParsedWords, io: Io): Promise<number> {
  const index = await indexOf(words, io);
  const json = await index.call('POST', '/namespaces', { body: { name: words.positionals[1] } });
  print(words, io, { json, text: `Namespace ${json.name} is created.` });
  return EXIT_DONE;
}

export async function describeNamespace(words: ParsedWords, io: Io): Promise<number> {
  const index = await indexOf(words, io);
  const json = await index.call('GET', pathOf(words));
  print(words, io, { json, text: `Namespace ${json.name} has ${counted(json.record_count, 'record')}.` });
  return EXIT_DONE;
}

export async function deleteNamespace(words: ParsedWords, io: Io): Promise<number> {
  const index = await indexOf(words, io);
  const { name, record_count: records } = await index.call('GET', pathOf(words));
  await confirm(words, io, `Namespace ${name} with ${counted(records, 'record')} will be deleted.`);
  await index.call('DELETE', pathOf(words));
  print(words, io, { json: { name, deleted: true }, text: `Namespace ${name} is deleted.` });
  return EXIT_DONE;
}

async function indexOf(words: ParsedWords, io: Io): Promise<ApiClient> {
  const index = await (await ApiClient.of(words, io)).ofIndex(words.positionals[0] ?? '');
  return index.at(index.url, momentHeaders(words));
}

function pathOf({ positionals: [, name = ''] }: ParsedWords): string {
  return `/namespaces/${encodeURIComponent(name)}`;
}
