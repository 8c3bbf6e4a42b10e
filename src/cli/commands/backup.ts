// pinyon backup: creates, lists, describes and deletes backups.
import type { JsonObject } from '../../domain/json.ts';
import { ApiClient } from '../api-client.ts';
import { misuse, type ParsedWords, readWords } from '../arguments.ts';
import { CliProblem, EXIT_DONE, type Io } from '../command.ts';
import { everyPage } from '../every-page.ts';
import { print, table } from '../print.ts';
import { count, watch } from '../watch.ts';

const HELP = `
Usage: pinyon backup create INDEX [--name NAME] [--description TEXT] [--no-wait]
       pinyon backup list [INDEX]
       pinyon backup describe BACKUP_ID
       pinyon backup delete BACKUP_ID

Creates a backup of an index while it is in use, and waits until it is Ready.

  --name NAME           Name of the backup
  --description TEXT    Description of the backup
  --no-wait             Return as soon as the backup has started
`;

const COLUMNS = {
  backup_id: 'ID',
  source_index_name: 'INDEX',
  name: 'NAME',
  status: 'STATUS',
  record_count: 'RECORDS',
  size_bytes: 'BYTES',
  created_at: 'CREATED',
};

export async function backup(line: readonly string[], io: Io): Promise<number> {
  const options = {
    name: { type: 'string' },
    description: { type: 'string' },
    'no-wait': { type: 'boolean' },
  } as const;
  const words = readWords(line, { help: HELP, options, positionalsMin: 1, positionalsMax: 2 }, io);
  if (words === null) return EXIT_DONE;
  const [action = '', subject] = words.positionals;
  const client = ApiClient.of(words, io);
  if (action === 'list') await list(client, subject, { words, io });
  else if (subject === undefined) throw misuse(`Missing argument of 'pinyon backup ${action}'.`);
  else if (action === 'create') await create(client, subject, { words, io });
  else if (action === 'describe') {
    const json = await client.call('GET', `/backups/${encodeURIComponent(subject)}`);
    print(words, io, { json, text: table([json], COLUMNS) });
  } else if (action === 'delete') {
    await client.call('DELETE', `/backups/${encodeURIComponent(subject)}`);
    print(words, io, { json: { backup_id: subject, deleted: true }, text: `Backup ${subject} is deleted.` });
  } else throw misuse(`Unknown command 'pinyon backup ${action}'.`);
  return EXIT_DONE;
}

interface Told {
  readonly words: ParsedWords;
  readonly io: Io;
}

async function list(client: ApiClient, index: string | undefined, { words, io }: Told): Promise<void> {
  const path = index === undefined ? '/backups' : `/indexes/${encodeURIComponent(index)}/backups`;
  const json = await Array.fromAsync(everyPage(client, `${path}?limit=100`));
  print(words, io, { json, text: table(json, COLUMNS) });
}

async function create(client: ApiClient, index: string, { words, io }: Told): Promise<void> {
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
    throw new CliProblem(`Backup ${id} of index ${index} failed.`);
  }
  print(words, io, {
    json,
    text: `Backup ${id} of index ${index} is ${json.status}: ${count(json.record_count)} records, ${count(json.size_bytes)} bytes.`,
  });
}

/** A backup reports no progress, only its end. */
function waitFor(client: ApiClient, id: string, io: Io): Promise<JsonObject> {
  return watch(
    {
      what: 'Backup',
      look: () => client.call('GET', `/backups/${id}`),
      percentOf: ({ status }) => (status === 'Ready' ? 100 : 0),
      detailOf: ({ status, record_count: records }) => `${status}, ${count(records)} records`,
      hasEnded: ({ status }) => status !== 'Initializing',
    },
    io,
  );
}
