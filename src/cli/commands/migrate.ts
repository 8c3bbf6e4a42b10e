// pinyon migrate: copies a whole index from any server with this API, and verifies the copy.
import { ApiClient } from '../client/api-client.ts';
import {
  CliProblem,
  EXIT_DONE,
  EXIT_FAILED,
  EXIT_MISUSED,
  type Io,
  misuse,
  type ParsedWords,
} from '../command.ts';
import { wholeNumber } from '../line/parse-words.ts';
import { copyNamespace } from '../migrate/copy-namespace.ts';
import {
  createNamespaces,
  type DeclaredNamespace,
  declaredNamespaces,
} from '../migrate/declared-namespaces.ts';
import { DOCUMENTS_VERSION, documentKind } from '../migrate/document-kind.ts';
import { MigrationState } from '../migrate/migration-state.ts';
import type { RecordKind } from '../migrate/record-kind.ts';
import { resumable } from '../migrate/resumable.ts';
import { isForeign } from '../migrate/sources/open-source.ts';
import {
  createTarget,
  describeIndex,
  type IndexDescription,
  matchingTarget,
} from '../migrate/target-index.ts';
import { vectorKind } from '../migrate/vector-kind.ts';
import { compareCounts, compareSample, countsOf } from '../migrate/verify.ts';
import { print } from '../terminal/print.ts';
import { Progress } from '../terminal/progress.ts';
import { count, counted } from '../terminal/watch.ts';

const DEFAULT_SOURCE = 'https://api.pinecone.io';
const PAGES_PRESET = 4;
/** Options for sources that are other databases: between servers with this API, records stay as they are. */
const FOREIGN_OPTIONS = ['vector', 'metric', 'namespace', 'tenant', 'text-field', 'nested', 'strict'];

const NOT_LISTED =
  'The source does not list its namespaces: empty ones, and metadata schemas of single namespaces, are not copied.\n';

export async function migrate(words: ParsedWords, io: Io): Promise<number> {
  const address = words.text('from');
  if (address !== undefined && isForeign(address))
    return (await import('./migrate-foreign.ts')).migrateForeign(words, io, address);
  const foreign = FOREIGN_OPTIONS.find((name) => words.text(name) !== undefined || words.flag(name));
  if (foreign !== undefined)
    throw misuse(`--${foreign} is for other databases; a source with this API is copied as it is.`);
  const [sourceName = '', targetName = sourceName] = words.positionals;
  const pagesMax = wholeNumber(words, 'pages', PAGES_PRESET);
  const [from, to] = [sourceClient(words, io), await ApiClient.of(words, io)];
  const source = await describeIndex(from, sourceName);
  const state = await MigrationState.open(words.text('state') ?? `pinyon-migrate-${targetName}.json`, [
    from.url,
    sourceName,
    to.url,
    targetName,
  ]);
  const found = await matchingTarget(to, source, targetName);
  if (found !== null && !state.isResumed) await requireEmpty(to.at(found.host), found, words);
  const version = source.fields === null ? undefined : DOCUMENTS_VERSION;
  const declared = await declaredNamespaces(from.at(source.host), version);
  if (declared === null) io.err(NOT_LISTED);
  const expected = withDeclared(await countsOf(from.at(source.host)), declared);
  if (words.flag('dry-run'))
    return dryRun(words, io, { source, targetName, isNew: found === null, expected });
  const target = found ?? (await createTarget(to, { source, name: targetName, place: placeOf(words) }));
  const clients = {
    source: from.at(source.host),
    target: to.at(target.host),
    kind: source.fields === null ? vectorKind : documentKind,
  };
  await state.save();
  await createNamespaces(clients.target, declared ?? [], version);
  await copyAll({ ...clients, state, pagesMax, expected }, io);
  const { unreadable } = state;
  await compareCounts(clients.target, withoutUnreadable(expected, unreadable), words.flag('into-existing'));
  const compared = await compareSample(clients, state.sample);
  await state.remove();
  const json = {
    source: sourceName,
    target: targetName,
    namespaces: expected.size,
    records: state.records,
    compared,
    unreadable,
  };
  const copied = `${unreadable.length === 0 ? 'all ' : ''}${counted(json.records, 'record')}`;
  print(words, io, {
    json,
    text: `Index ${targetName} has ${copied} of ${counted(json.namespaces, 'namespace')}; ${count(compared)} of them were compared and are equal.`,
  });
  return tellUnreadable(unreadable, io);
}

/** Namespaces without records, too. */
function withDeclared(
  counts: ReadonlyMap<string, number>,
  declared: readonly DeclaredNamespace[] | null,
): ReadonlyMap<string, number> {
  return new Map([...(declared ?? []).map(({ name }) => [name, 0] as const), ...counts]);
}

interface DryRun {
  readonly source: IndexDescription;
  readonly targetName: string;
  readonly isNew: boolean;
  /** Records by namespace. */
  readonly expected: ReadonlyMap<string, number>;
}

/** Says what would be copied where. */
function dryRun(words: ParsedWords, io: Io, { source, targetName, isNew, expected }: DryRun): number {
  const records = totalOf(expected);
  const { name, dimension, metric, fields } = source;
  const details = fields === null ? { kind: 'vectors', dimension, metric } : { kind: 'documents' };
  const json = { source: name, target: targetName, isNew, ...details, namespaces: expected.size, records };
  const what = `${isNew ? 'create' : 'use'} index ${targetName} (${details.kind})`;
  const text = `Would ${what} and copy ${counted(records, 'record')} of ${counted(expected.size, 'namespace')}.`;
  print(words, io, { json, text });
  return EXIT_DONE;
}

function totalOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, each) => sum + each, 0);
}

/** Names the records that are not copied. @returns the exit code */
function tellUnreadable(unreadable: MigrationState['unreadable'], io: Io): number {
  if (unreadable.length === 0) return EXIT_DONE;
  for (const { namespace, id } of unreadable)
    io.err(`Not copied: record '${id}' of namespace ${namespace}\n`);
  io.err(
    `The source does not return ${counted(unreadable.length, 'record')} whose ids have a space. All others are copied.\n`,
  );
  return EXIT_FAILED;
}

/** The counts that the target must have. */
function withoutUnreadable(
  expected: ReadonlyMap<string, number>,
  unreadable: MigrationState['unreadable'],
): ReadonlyMap<string, number> {
  const lost = Map.groupBy(unreadable, ({ namespace }) => namespace);
  return new Map([...expected].map(([name, records]) => [name, records - (lost.get(name)?.length ?? 0)]));
}

interface CopyingAll {
  readonly source: ApiClient;
  readonly target: ApiClient;
  readonly kind: RecordKind;
  readonly state: MigrationState;
  readonly pagesMax: number;
  readonly expected: ReadonlyMap<string, number>;
}

async function copyAll({ expected, ...copying }: CopyingAll, io: Io): Promise<void> {
  const total = totalOf(expected);
  const progress = new Progress(io, 'Migrate');
  const onProgress = () => {
    const { records } = copying.state;
    progress.show(
      Math.min(100, (100 * records) / Math.max(1, total)),
      `${count(records)} of ${counted(total, 'record')}`,
    );
  };
  await resumable(copying.state, io, async () => {
    try {
      for (const namespace of expected.keys()) {
        io.signal.throwIfAborted();
        await copyNamespace({ ...copying, onProgress }, namespace);
      }
    } finally {
      progress.end();
    }
  });
}

function sourceClient(words: ParsedWords, io: Io): ApiClient {
  const apiKey = words.text('from-key') ?? io.environment.PINYON_FROM_API_KEY;
  if (apiKey === undefined || apiKey === '') {
    throw new CliProblem(
      'No API key of the source: set PINYON_FROM_API_KEY or pass --from-key.',
      EXIT_MISUSED,
    );
  }
  const url = words.text('from') ?? DEFAULT_SOURCE;
  return new ApiClient({ url, headers: { 'api-key': apiKey }, signal: io.signal });
}

function placeOf(words: ParsedWords) {
  const [cloud, region] = [words.text('cloud'), words.text('region')];
  if ((cloud === undefined) !== (region === undefined)) throw misuse('--cloud and --region go together.');
  return cloud === undefined || region === undefined ? null : { cloud, region };
}

async function requireEmpty(
  client: ApiClient,
  { name }: IndexDescription,
  words: ParsedWords,
): Promise<void> {
  if (words.flag('into-existing')) return;
  const records = totalOf(await countsOf(client));
  if (records > 0) {
    throw new CliProblem(
      `Index ${name} already has ${counted(records, 'record')}; pass --into-existing to write into it anyway.`,
    );
  }
}
