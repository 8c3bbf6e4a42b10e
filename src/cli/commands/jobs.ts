// pinyon jobs: lists and cancels background jobs of the server.
import { type JsonObject, membersOf } from '../../domain/json.ts';
import { ApiClient } from '../api-client.ts';
import { misuse, readWords } from '../arguments.ts';
import { EXIT_DONE, type Io } from '../command.ts';
import { everyPage } from '../every-page.ts';
import { print, table } from '../print.ts';

const HELP = `
Usage: pinyon jobs [INDEX]
       pinyon jobs cancel INDEX ID

Lists the imports and exports of an index, or of all indexes with the restore jobs of the project; newest first.
'cancel' ends an import or an export and removes what it has written.
`;

const COLUMNS = {
  id: 'ID',
  kind: 'KIND',
  index: 'INDEX',
  status: 'STATUS',
  percent: '%',
  records: 'RECORDS',
  created: 'CREATED',
  error: 'ERROR',
};

export async function jobs(line: readonly string[], io: Io): Promise<number> {
  const words = readWords(line, { help: HELP, positionalsMin: 0, positionalsMax: 3 }, io);
  if (words === null) return EXIT_DONE;
  const [first, index, id, ...rest] = words.positionals;
  const client = ApiClient.of(words, io);
  if (first === 'cancel') {
    if (index === undefined || id === undefined || rest.length > 0)
      throw misuse("'pinyon jobs cancel' requires INDEX and ID.");
    const kind = await cancel(await client.ofIndex(index), id);
    print(words, io, { json: { id, kind, cancelled: true }, text: `The ${kind} ${id} is being cancelled.` });
    return EXIT_DONE;
  }
  if (index !== undefined) throw misuse(`Unexpected argument '${index}'.`);
  const json = first === undefined ? await allJobs(client) : await jobsOf(client, first);
  json.sort((one, other) => String(other.created).localeCompare(String(one.created)));
  print(words, io, { json, text: table(json, COLUMNS) });
  return EXIT_DONE;
}

async function cancel(index: ApiClient, id: string): Promise<string> {
  const path = encodeURIComponent(id);
  const imports = await Array.fromAsync(everyPage(index, '/bulk/imports?limit=100'));
  const kind = imports.some((each) => each.id === id) ? 'import' : 'export';
  await index.call('DELETE', `/bulk/${kind}s/${path}`);
  return kind;
}

async function allJobs(client: ApiClient): Promise<JsonObject[]> {
  const { indexes = [] } = await client.call<{ readonly indexes?: readonly JsonObject[] }>('GET', '/indexes');
  const restores = await Array.fromAsync(everyPage(client, '/restore-jobs?limit=100'));
  const found: JsonObject[] = restores.map((job) => ({
    id: job.restore_job_id,
    kind: 'restore',
    index: job.target_index_name,
    status: job.status,
    percent: Math.round(Number(job.percent_complete)),
    created: job.created_at,
  }));
  // Pod-based indexes and those not yet ready have none.
  for (const { name, spec, status } of indexes) {
    const isPod = membersOf(spec).pod !== undefined;
    const isReady = membersOf(status).ready === true;
    if (isReady && !isPod) found.push(...(await jobsOf(client, String(name))));
  }
  return found;
}

async function jobsOf(client: ApiClient, name: string): Promise<JsonObject[]> {
  const index = await client.ofIndex(name);
  const imports = await Array.fromAsync(everyPage(index, '/bulk/imports?limit=100'));
  const exports = await Array.fromAsync(everyPage(index, '/bulk/exports?limit=100'));
  const row = (kind: string, records: string) => (job: JsonObject) => ({
    id: job.id,
    kind,
    index: name,
    status: job.status,
    percent: Math.round(Number(job.percentComplete)),
    records: job[records],
    created: job.createdAt,
    error: job.error,
  });
  return [...imports.map(row('import', 'recordsImported')), ...exports.map(row('export', 'recordsExported'))];
}
