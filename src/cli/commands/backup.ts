// pinyon backup: creates, lists, describes and deletes backups.
import type { JsonObject } from '../../domain/json.ts';
import { ApiClient } from '../client/api-client.ts';
import { everyPage } from '../client/every-page.ts';
import { EXIT_DONE, type Io, type ParsedWords } from '../command.ts';
import { confirm } from '../terminal/confirm.ts';
import { print, printRows } from '../terminal/print.ts';
import { count, counted, endedOtherwise, watch } from '../terminal/watch.ts';

const COLUMNS = {
  backup_id: 'ID',
  source_index_name: 'INDEX',
  name: 'NAME',
  status: 'STATUS',
  record_count: 'RECORDS',
  size_bytes: 'BYTES',
  created_at: 'CREATED',
};

export async function listBackups(words: ParsedWords, io: Io): Promise<number> {
  const [index] = words.positionals;
  const client = await ApiClient.of(words, io);
  const path = index === undefined ? '/backups' : `/indexes/${encodeURIComponent(index)}/backups`;
  const json = await Array.fromAsync(everyPage(client, `${path}?limit=100`));
  printRows(words, io, { json, columns: COLUMNS });
  return EXIT_DONE;
}

export async function describeBackup(words: ParsedWords, io: Io): Promise<number> {
  const [id = ''] = words.positionals;
  const json = await (await ApiClient.of(words, io)).call('GET', `/backups/${encodeURIComponent(id)}`);
  printRows(words, io, { json, rows: [json], columns: { ...COLUMNS, error: 'ERROR' } });
  return EXIT_DONE;
}

export async function deleteBackup(words: ParsedWords, io: Io): Promise<number> {
  const [id = ''] = words.positionals;
  const client = await ApiClient.of(words, io);
  const path = `/backups/${encodeURIComponent(id)}`;
  const { source_index_name: index, created_at: at, record_count: records } = await client.call('GET', path);
  const content = Number.isFinite(records) ? ` with ${counted(records, 'record')}` : '';
  await confirm(words, io, `Backup ${id} of index ${index} of ${at}${content} will be deleted.`);
  await client.call('DELETE', path);
  print(words, io, { json: { backup_id: id, deleted: true }, text: `Backup ${id} is deleted.` });
  return EXIT_DONE;
}

export async function createBackup(words: ParsedWords, io: Io): Promise<number> {
  const [index = ''] = words.positionals;
  const client = await ApiClient.of(words, io);
  const [name, description] = [words.text('name'), words.text('description')];
  const body = {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
  };
  const begun = await client.call('POST', `/indexes/${encodeURIComponent(index)}/backups`, {
    body,
    isOnce: true,
  });
  const id = String(begun.backup_id);
  const json = words.flag('no-wait') ? begun : await waitFor(client, id, io);
  if (json.status === 'Failed' || json.status === 'InitializationFailed') {
    throw endedOtherwise(`Backup ${id} of index ${index}`, json);
  }
  print(words, io, {
    json,
    text: `Backup ${id} of index ${index} is ${json.status}: ${counted(json.record_count, 'record')}, ${count(json.size_bytes)} bytes.`,
  });
  return EXIT_DONE;
}

/** A backup reports no progress, only its end. */
function waitFor(client: ApiClient, id: string, io: Io): Promise<JsonObject> {
  return watch(
    {
      what: 'Backup',
      look: () => client.call('GET', `/backups/${id}`),
      percentOf: ({ status }) => (status === 'Ready' ? 100 : 0),
      detailOf: ({ status, record_count: records }) => `${status}, ${counted(records, 'record')}`,
      hasEnded: ({ status }) => status !== 'Initializing',
    },
    io,
  );
}
