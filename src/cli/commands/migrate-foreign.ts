// pinyon migrate from another vector database: reads it page by page, maps its records, and verifies the copy.
import { ApiClient } from '../client/api-client.ts';
import { CliProblem, EXIT_DONE, type Io, misuse, type ParsedWords } from '../command.ts';
import { choice } from '../line/parse-words.ts';
import { upsertInRequests } from '../migrate/copy-namespace.ts';
import { KINDS, type Mapping, type Migrating, migrated } from '../migrate/foreign-records.ts';
import { existingTarget, type ForeignTarget, vectorTarget } from '../migrate/foreign-target.ts';
import { LOSSES, type Loss, Losses, RECORD_LOSSES } from '../migrate/losses.ts';
import { MigrationState } from '../migrate/migration-state.ts';
import type { MigratedRecord } from '../migrate/record-kind.ts';
import { resumable } from '../migrate/resumable.ts';
import { openSource } from '../migrate/sources/open-source.ts';
import type { ForeignCollection, ForeignPage, ForeignSource } from '../migrate/sources/port.ts';
import { rulesOf } from '../migrate/target-rules.ts';
import { compareCounts, compareDigests, countsOf } from '../migrate/verify.ts';
import { print } from '../terminal/print.ts';
import { Progress } from '../terminal/progress.ts';
import { count, counted } from '../terminal/watch.ts';

const DEFAULT_NAMESPACE = '__default__';

export async function migrateForeign(words: ParsedWords, io: Io, address: string): Promise<number> {
  const [collection = ''] = words.positionals;
  const key = words.text('from-key') ?? (io.environment.PINYON_FROM_API_KEY || null);
  const [vector, tenant] = [words.text('vector') ?? null, words.text('tenant') ?? null];
  const source = await openSource(address, { collection, key, vector, tenant, signal: io.signal });
  try {
    return await migrateFrom(source, words, { io, address });
  } finally {
    await source.close();
  }
}

async function migrateFrom(
  source: ForeignSource,
  words: ParsedWords,
  { io, address }: { readonly io: Io; readonly address: string },
): Promise<number> {
  const [name = '', targetName = name] = words.positionals;
  const client = await ApiClient.of(words, io);
  const described = await source.describe();
  const metric = words.text('metric') === undefined ? described.metric : choice(words, 'metric', METRICS);
  const collection = { ...described, metric };
  const found = await existingTarget(client, targetName);
  const mapping = mappingOf(words, found, metric);
  const migrating = { mapping, rules: rulesOf(found, collection) };
  if (words.flag('dry-run'))
    return dryRun(source, { words, io, collection, migrating, isNew: found === null });
  const target =
    mapping.target === 'vectors'
      ? await vectorTarget(client, { name: targetName, collection, place: placeOf(words) })
      : (found as ForeignTarget);
  const namespace = words.text('namespace') ?? DEFAULT_NAMESPACE;
  const chosen = [words.text('vector') ?? null, words.text('tenant') ?? null];
  const between = [address, name, client.url, targetName, namespace, JSON.stringify([mapping, chosen])];
  const file = words.text('state') ?? `pinyon-migrate-${targetName}.json`;
  const state = await MigrationState.open(file, between);
  const index = client.at(target.host);
  const mayHaveMore = words.flag('into-existing');
  if (!state.isResumed && !mayHaveMore) await requireEmpty(index, targetName, namespace);
  await state.save();
  await copyAll({ source, index, migrating, namespace, state, total: collection.records }, io);
  const { records } = state.namespace(namespace);
  const { losses } = state;
  await requireSome(state);
  requireAll(collection.records, records, losses);
  await compareCounts(index, new Map([[namespace, records]]), mayHaveMore);
  const compared = await compareDigests(index, KINDS[mapping.target], state.sample);
  await state.remove();
  const json = { source: name, target: targetName, namespace, records, compared, ...jsonOf(losses) };
  const text = `Index ${targetName} has all ${counted(records, 'record')} in namespace ${namespace}; ${count(compared)} of them were compared and are equal.${told(losses)}`;
  print(words, io, { json, text });
  tellUnstorable(losses, io);
  return EXIT_DONE;
}

const METRICS = ['cosine', 'dotproduct', 'euclidean'] as const;

function mappingOf(words: ParsedWords, found: ForeignTarget | null, metric: string): Mapping {
  const [from, to] = (words.text('text-field') ?? '').split('=');
  const target = found?.kind ?? 'vectors';
  if (from !== '' && target === 'vectors')
    throw misuse('--text-field needs a target index of texts or documents, which must exist.');
  if (from === '' && target !== 'vectors')
    throw misuse('The target index takes texts: --text-field names the field of the source that has them.');
  const text = from === '' || from === undefined ? null : { from, to: to ?? found?.textField ?? from };
  return {
    target,
    text,
    nested: choice(words, 'nested', ['dots', 'json']),
    hasSparse: metric === 'dotproduct',
    isStrict: words.flag('strict'),
  };
}

interface DryRun {
  readonly words: ParsedWords;
  readonly io: Io;
  readonly collection: ForeignCollection;
  readonly migrating: Migrating;
  readonly isNew: boolean;
}

/** Reads everything and writes nothing, so that the losses are known before. */
async function dryRun(source: ForeignSource, run: DryRun): Promise<number> {
  const { words, io, collection, migrating, isNew } = run;
  const [name = '', targetName = name] = words.positionals;
  const losses = new Losses();
  let records = 0;
  for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
    io.signal.throwIfAborted();
    const page: ForeignPage = await source.page(cursor);
    records += page.records.filter((record) => migrated(record, migrating, losses) !== null).length;
    cursor = page.next;
  }
  const { dimension, metric } = collection;
  const json = {
    source: name,
    target: targetName,
    isNew,
    kind: migrating.mapping.target,
    dimension,
    metric,
    records,
    ...jsonOf(losses),
  };
  const what = isNew
    ? `create index ${targetName} (${dimension} dimensions, ${metric})`
    : `use index ${targetName}`;
  print(words, io, { json, text: `Would ${what} and copy ${counted(records, 'record')}.${told(losses)}` });
  tellUnstorable(losses, io);
  return EXIT_DONE;
}

interface Copying {
  readonly source: ForeignSource;
  readonly index: ApiClient;
  readonly migrating: Migrating;
  readonly namespace: string;
  readonly state: MigrationState;
  /** Records of the source. */
  readonly total: number;
}

/** Reads a page while the one before is written; the cursor moves on once a page is stored. */
async function copyAll(copying: Copying, io: Io): Promise<void> {
  const { source, namespace, state, total } = copying;
  const progress = new Progress(io, 'Migrate');
  const at = state.namespace(namespace);
  await resumable(state, io, async () => {
    try {
      let coming = at.isDone ? null : source.page(at.token);
      while (coming !== null) {
        const page: ForeignPage = await coming;
        coming = page.next === null ? null : source.page(page.next);
        coming?.catch(() => undefined);
        io.signal.throwIfAborted();
        await storePage(copying, page);
        progress.show(
          Math.min(100, (100 * at.records) / Math.max(1, total)),
          `${count(at.records)} of ${counted(total, 'record')}`,
        );
        await state.saveSometimes();
      }
    } finally {
      progress.end();
    }
  });
}

async function storePage({ index, migrating, namespace, state }: Copying, page: ForeignPage): Promise<void> {
  const losses = new Losses();
  const records = page.records
    .map((record) => migrated(record, migrating, losses))
    .filter((record): record is MigratedRecord => record !== null);
  await upsertInRequests(index, KINDS[migrating.mapping.target], { namespace, records });
  const at = state.namespace(namespace);
  at.records += records.length;
  at.token = page.next;
  at.isDone = page.next === null;
  state.noteRecords(namespace, records);
  state.lose(losses);
}

/** Nothing is stored where none could be, so a later run, on a target that was mended, begins anew. */
async function requireSome(state: MigrationState): Promise<void> {
  const [first] = state.losses.unstorable;
  if (state.records > 0 || first === undefined) return;
  await state.remove();
  throw new CliProblem(`No record could be stored. Record ${first.id}: ${first.reason}.`);
}

/** Pages of a source that changes, or that pages otherwise than it documents, would leave records out in silence. */
function requireAll(expected: number, copied: number, { counts }: Losses): void {
  const read = RECORD_LOSSES.reduce((sum, loss) => sum + (counts[loss] ?? 0), copied);
  if (read === expected) return;
  throw new CliProblem(
    `The source counts ${counted(expected, 'record')}, and ${count(read)} were read: was it written meanwhile? Remove the state file and begin again with --into-existing.`,
  );
}

function jsonOf({ counts: losses, unstorable }: Losses): object {
  return { losses, ...(unstorable.length === 0 ? {} : { unstorable }) };
}

/** Names the first records that are left out since the target refuses them. */
function tellUnstorable({ unstorable }: Losses, io: Io): void {
  for (const { id, reason } of unstorable) io.err(`Left out: record '${id}': ${reason}\n`);
}

function told({ counts }: Losses): string {
  const parts = Object.entries(counts).map(([loss, times]) => `${count(times)} ${LOSSES[loss as Loss]}`);
  return parts.length === 0 ? '' : ` Changed: ${parts.join('; ')}.`;
}

function placeOf(words: ParsedWords) {
  const [cloud, region] = [words.text('cloud'), words.text('region')];
  if ((cloud === undefined) !== (region === undefined)) throw misuse('--cloud and --region go together.');
  return cloud === undefined || region === undefined ? null : { cloud, region };
}

async function requireEmpty(index: ApiClient, name: string, namespace: string): Promise<void> {
  const records = (await countsOf(index)).get(namespace) ?? 0;
  if (records === 0) return;
  throw new CliProblem(
    `Namespace ${namespace} of index ${name} already has ${counted(records, 'record')}; pass --into-existing to write into it anyway.`,
  );
}
