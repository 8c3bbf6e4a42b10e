// pinyon record upsert, pinyon document upsert: sends the records of files and pipes in batches, several at a time.
import { NEWEST_API_VERSION } from '../../../domain/api-version.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { IndexKind } from '../../client/index-kind.ts';
import { documentTarget, type IndexTarget, indexTarget, wireNamespace } from '../../client/index-target.ts';
import { CliProblem, EXIT_DONE, type Io, misuse, type ParsedWords } from '../../command.ts';
import { namesOf, wholeNumber } from '../../line/parse-words.ts';
import { print } from '../../terminal/print.ts';
import { Progress } from '../../terminal/progress.ts';
import { counted } from '../../terminal/watch.ts';
import { readFieldNames } from './field-names.ts';
import { type RowSource, rowSources } from './read-rows.ts';
import { formOf, wireRecord } from './wire-records.ts';

/** Below the maximum of a request, with space for what surrounds the records. */
const BATCH_BYTES_MAX = 1_900_000;
/** Records of a batch by what they are: the server embeds at most 96 texts at a time. */
const BATCH_RECORDS_MAX = { vectors: 1_000, texts: 96, documents: 96 } as const;
const BATCHES_PRESET = 4;

export async function upsertRecords(words: ParsedWords, io: Io): Promise<number> {
  return upsert(await indexTarget(words, io), words, io);
}

export async function upsertDocuments(words: ParsedWords, io: Io): Promise<number> {
  return upsert(await documentTarget(words, io), words, io);
}

async function upsert(target: IndexTarget, words: ParsedWords, io: Io): Promise<number> {
  const textColumns = namesOf(words, 'text-columns') ?? [];
  const form = {
    format: words.text('format'),
    names: readFieldNames(words.text('columns')),
    textFields: target.textFields,
    textColumns,
  };
  const sources = await rowSources(words.positionals.slice(1), form, io);
  if (textColumns.length > 0 && !sources.some(({ format }) => format === 'csv'))
    throw misuse('--text-columns is for CSV; other formats tell texts from numbers.');
  const batchesMax = wholeNumber(words, 'batches', BATCHES_PRESET);
  const progress = new Progress(io, 'Upsert');
  let sent = 0;
  try {
    for await (const records of sendAll(target, batchesOf(sources, target, progress), batchesMax)) {
      io.signal.throwIfAborted();
      sent += records;
      progress.count(sent, 'record');
    }
  } catch (error) {
    if (!(error instanceof CliProblem) || sent === 0) throw error;
    const state = `At least ${counted(sent, 'record')} had been stored; it does no harm to upsert them again.`;
    throw new CliProblem(`${error.message} ${state}`, error.exitCode, error);
  } finally {
    progress.end();
  }
  const { name, namespace } = target;
  const text = `Index ${name} has stored ${counted(sent, 'record')} in namespace ${namespace}.`;
  print(words, io, { json: { index: name, namespace, upserted: sent }, text });
  return EXIT_DONE;
}

interface Batch {
  readonly form: IndexKind;
  /** Records as JSON texts. */
  readonly records: readonly string[];
  readonly ids: ReadonlySet<string>;
}

async function* batchesOf(
  sources: readonly RowSource[],
  { kind, textFields }: IndexTarget,
  progress: Progress,
): AsyncGenerator<Batch> {
  const total = sources.reduce<number | null>(
    (sum, { size }) => (sum === null || size === null ? null : sum + size),
    0,
  );
  let records: string[] = [];
  let ids = new Set<string>();
  let form: IndexKind = kind;
  let bytes = 0;
  let before = 0;
  for (const { name, rows, size } of sources) {
    let number = 0;
    const onBytes = (read: number) => {
      if (total !== null) progress.share((before + read) / Math.max(1, total));
    };
    for await (const row of rows(onBytes)) {
      const next = formOf(row, kind);
      const record = recordOf(row, next, { textFields, where: `Row ${++number} of ${name}` });
      const text = JSON.stringify(record);
      const length = Buffer.byteLength(text) + 1;
      const isFull = records.length >= BATCH_RECORDS_MAX[form] || bytes + length > BATCH_BYTES_MAX;
      if (records.length > 0 && (isFull || next !== form)) {
        yield { form, records, ids };
        records = [];
        ids = new Set();
        bytes = 0;
      }
      form = next;
      records.push(text);
      ids.add(String(record._id ?? record.id));
      bytes += length;
    }
    before += size ?? 0;
  }
  if (records.length > 0) yield { form, records, ids };
}

interface RowPlace extends Pick<IndexTarget, 'textFields'> {
  /** Names the row. */
  readonly where: string;
}

/** @throws CliProblem for a row without a usable id */
function recordOf(row: JsonObject, form: IndexKind, { textFields, where }: RowPlace): JsonObject {
  try {
    return wireRecord(row, form, textFields);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliProblem(`${where} cannot be stored: ${reason}.`, undefined, error);
  }
}

/**
 * Sends up to `batchesMax` at a time, and yields the size of each that is stored. A batch waits for those in flight that
 * have one of its ids, so that the later row stays.
 */
async function* sendAll(
  target: IndexTarget,
  batches: AsyncIterable<Batch>,
  batchesMax: number,
): AsyncGenerator<number> {
  const running = new Map<Promise<number>, Batch>();
  const next = async () => {
    const done = await Promise.race([...running.keys()].map(async (each) => [each, await each] as const));
    running.delete(done[0]);
    return done[1];
  };
  try {
    for await (const batch of batches) {
      while (running.values().some(({ ids }) => !ids.isDisjointFrom(batch.ids))) yield await next();
      const sending = send(target, batch);
      // Awaited only when its turn comes; until then a failure must not count as unhandled.
      sending.catch(() => undefined);
      running.set(sending, batch);
      if (running.size >= batchesMax) yield await next();
    }
    while (running.size > 0) yield await next();
  } finally {
    // After a failure the others end by themselves; nobody looks at how.
    await Promise.allSettled(running.keys());
  }
}

async function send({ client, namespace }: IndexTarget, { form, records }: Batch): Promise<number> {
  const list = `[${records.join(',')}]`;
  const path = encodeURIComponent(namespace);
  const version = NEWEST_API_VERSION;
  if (form === 'documents') {
    const documents = JSON.parse(list) as readonly JsonObject[];
    await client.call('POST', `/namespaces/${path}/documents/upsert`, { body: { documents }, version });
  } else if (form === 'texts') {
    await client.call('POST', `/records/namespaces/${path}/upsert`, { content: records.join('\n') });
  } else {
    const vectors = JSON.parse(list) as readonly JsonObject[];
    await client.call('POST', '/vectors/upsert', { body: { vectors, namespace: wireNamespace(namespace) } });
  }
  return records.length;
}
