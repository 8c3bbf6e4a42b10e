// Compares source and target after a migration: the counts of every namespace and a sample of records.
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient } from '../client/api-client.ts';
import { CliProblem } from '../command.ts';
import { fetchInParts } from './fetch-in-parts.ts';
import { digestOf, type SampledRecord } from './migration-state.ts';
import type { RecordKind } from './record-kind.ts';

/** Record counts may lag behind writes. */
const COUNT_MS_MAX = 60_000;
const LOOK_MS = 1_000;
const FETCH_IDS = 100;
/** As answers show it. */
export const DEFAULT_NAMESPACE = '__default__';

interface StatsReply {
  readonly namespaces?: Readonly<Record<string, { readonly vectorCount?: number }>>;
}

/** Records by namespace, the default one by its public name. */
export async function countsOf(client: ApiClient): Promise<ReadonlyMap<string, number>> {
  const { namespaces = {} } = await client.call<StatsReply>('POST', '/describe_index_stats', { body: {} });
  return new Map(
    Object.entries(namespaces).map(([name, { vectorCount = 0 }]) => [name || DEFAULT_NAMESPACE, vectorCount]),
  );
}

/**
 * @param mayHaveMore true for a target that already had records
 * @throws CliProblem that names the first namespace whose counts differ
 */
export async function compareCounts(
  target: ApiClient,
  expected: ReadonlyMap<string, number>,
  mayHaveMore: boolean,
): Promise<void> {
  const end = performance.now() + COUNT_MS_MAX;
  for (;;) {
    const actual = await countsOf(target);
    const wrong = [...expected].find(([name, count]) => {
      const found = actual.get(name) ?? 0;
      return mayHaveMore ? found < count : found !== count;
    });
    if (wrong === undefined) return;
    const [name, count] = wrong;
    if (performance.now() > end) {
      throw new CliProblem(
        `Namespace ${name} has ${actual.get(name) ?? 0} records in the target and ${count} in the source.`,
      );
    }
    await pause(LOOK_MS);
  }
}

/** Resolves to the number of compared records: those that both sides return. @throws CliProblem that names a record that differs */
export async function compareSample(
  {
    source,
    target,
    kind,
  }: { readonly source: ApiClient; readonly target: ApiClient; readonly kind: RecordKind },
  sample: readonly SampledRecord[],
): Promise<number> {
  let compared = 0;
  const spaces = Map.groupBy(sample, ({ namespace }) => namespace);
  for (const [namespace, records] of spaces) {
    const ids = [...new Set(records.map(({ id }) => id))];
    for (let at = 0; at < ids.length; at += FETCH_IDS) {
      const some = ids.slice(at, at + FETCH_IDS);
      const copied = await fetchInParts(kind, target, { namespace, ids: some });
      const copies = new Map(copied.records.map((record) => [record.id, record]));
      const { records: originals } = await fetchInParts(kind, source, { namespace, ids: some });
      for (const record of originals) {
        if (copied.unreadable.includes(record.id)) continue;
        const copy = copies.get(record.id);
        if (copy?.signature !== record.signature) {
          throw new CliProblem(`Record ${record.id} of namespace ${namespace} differs in the target.`);
        }
        compared++;
      }
    }
  }
  return compared;
}

/** Compares sampled records of the target with the digests of what was read. @throws CliProblem that names one that differs */
export async function compareDigests(
  target: ApiClient,
  kind: RecordKind,
  sample: readonly SampledRecord[],
): Promise<number> {
  // The last one wins where an id was read twice.
  const digests = new Map(sample.map(({ id, digest }) => [id, digest]));
  const namespace = sample[0]?.namespace ?? '';
  const ids = [...digests.keys()];
  let compared = 0;
  for (let at = 0; at < ids.length; at += FETCH_IDS) {
    const some = ids.slice(at, at + FETCH_IDS);
    const { records, unreadable } = await fetchInParts(kind, target, { namespace, ids: some });
    const copies = new Map(records.map(({ id, signature }) => [id, digestOf(signature)]));
    const readable = some.filter((id) => !unreadable.includes(id));
    const differing = readable.find((id) => copies.get(id) !== digests.get(id));
    if (differing !== undefined)
      throw new CliProblem(`Record ${differing} of namespace ${namespace} differs in the target.`);
    compared += readable.length;
  }
  return compared;
}
