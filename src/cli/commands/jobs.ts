// pinyon jobs: lists and cancels background jobs of the server.
import { type JsonObject, membersOf } from '../../domain/json.ts';
import { ApiClient, Refusal } from '../client/api-client.ts';
import { everyPage } from '../client/every-page.ts';
import { CliProblem, EXIT_DONE, type Io, type ParsedWords } from '../command.ts';
import { confirm } from '../terminal/confirm.ts';
import { print, printRows } from '../terminal/print.ts';

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

const STATUS_NOT_FOUND = 404;

/** Of jobs that have not ended. */
const ACTIVE: ReadonlySet<string> = new Set(['Pending', 'InProgress']);

export async function jobs(words: ParsedWords, io: Io): Promise<number> {
  const [index] = words.positionals;
  const client = await ApiClient.of(words, io);
  const json = index === undefined ? await allJobs(client) : await jobsOf(client, index);
  json.sort((one, other) => String(other.created).localeCompare(String(one.created)));
  printRows(words, io, { json, columns: COLUMNS });
  return EXIT_DONE;
}

export async function cancelJob(words: ParsedWords, io: Io): Promise<number> {
  const [name = '', id = ''] = words.positionals;
  const index = await (await ApiClient.of(words, io)).ofIndex(name);
  const { kind, path, status } = await findJob(index, id);
  // Deleting an export that has ended deletes its files.
  if (!ACTIVE.has(status)) {
    const files = kind === 'export' ? ` DELETE ${path} over HTTP removes its files.` : '';
    throw new CliProblem(`The ${kind} ${id} has ended: it is ${status}. Nothing was changed.${files}`);
  }
  const sentence = `The ${kind} ${id} will be cancelled, and what it has written removed.`;
  await confirm(words, io, sentence);
  await index.call('DELETE', path);
  print(words, io, { json: { id, kind, cancelled: true }, text: `The ${kind} ${id} is being cancelled.` });
  return EXIT_DONE;
}

interface FoundJob {
  readonly kind: 'import' | 'export';
  readonly path: string;
  readonly status: string;
}

/** @throws CliProblem where the index has no import or export of this id */
async function findJob(index: ApiClient, id: string): Promise<FoundJob> {
  for (const kind of ['import', 'export'] as const) {
    const jobs = await Array.fromAsync(everyPage(index, `/bulk/${kind}s?limit=100`));
    const found = jobs.find((each) => each.id === id);
    if (found === undefined) continue;
    return { kind, path: `/bulk/${kind}s/${encodeURIComponent(id)}`, status: String(found.status) };
  }
  throw new CliProblem(`The index has no import or export ${id}; 'pinyon jobs INDEX' lists them.`);
}

async function allJobs(client: ApiClient): Promise<JsonObject[]> {
  const { indexes = [] } = await client.call<{ readonly indexes?: readonly JsonObject[] }>('GET', '/indexes');
  const restores = await Array.fromAsync(everyPage(client, '/restore-jobs?limit=100'));
  const found: JsonObject[] = [
    ...restores.map((job) => filling('restore', job.restore_job_id, job)),
    ...(await recoveriesOf(client)).map((job) => filling('recovery', job.recovery_id, job)),
    ...(await unfinishedBackups(client)),
  ];
  // Pod-based indexes and those not yet ready have none.
  for (const { name, spec, status } of indexes) {
    const isPod = membersOf(spec).pod !== undefined;
    const isReady = membersOf(status).ready === true;
    if (isReady && !isPod) found.push(...(await jobsOf(client, String(name))));
  }
  return found;
}

/** The row of a job that fills a new index. */
function filling(kind: string, id: unknown, job: JsonObject): JsonObject {
  return {
    id,
    kind,
    index: job.target_index_name,
    status: job.status,
    percent: Math.round(Number(job.percent_complete)),
    created: job.created_at,
    error: job.error,
  };
}

/** None where the server has no recoveries. */
async function recoveriesOf(client: ApiClient): Promise<readonly JsonObject[]> {
  return (await ifThere(Array.fromAsync(everyPage(client, '/recoveries?limit=100')))) ?? [];
}

/** What is asked for; null where the server does not have it, perhaps not any more. */
async function ifThere<Found>(asked: Promise<Found>): Promise<Found | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Refusal && error.status === STATUS_NOT_FOUND) return null;
    throw error;
  }
}

/** The rows of the backups that are being made or have failed; 'pinyon backup list' lists the others. */
async function unfinishedBackups(client: ApiClient): Promise<readonly JsonObject[]> {
  const rows: JsonObject[] = [];
  for await (const { backup_id: id, status } of everyPage(client, '/backups?limit=100')) {
    if (status === 'Ready') continue;
    // The list gives no reasons.
    const backup = await ifThere(client.call('GET', `/backups/${encodeURIComponent(String(id))}`));
    if (backup === null) continue;
    const { source_index_name: index, created_at: created, error } = backup;
    rows.push({ id, kind: 'backup', index, status: backup.status, created, error });
  }
  return rows;
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
