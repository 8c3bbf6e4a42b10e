// The metrics of what the engine keeps of each index: memory, graphs, damage, the past, branches and expiry.
import type { IndexMetrics, IndexStructure } from '../../engine/port/vector-store.ts';
import { counter, type Family, gauge, type Labels, type Sample } from './prometheus-text.ts';
import type { IndexReading } from './read-metrics.ts';

const MILLISECONDS_PER_SECOND = 1_000;

/** What an index is called in every sample about it. */
export type LabelledReading = IndexReading & { readonly labels: Labels };

export function indexFamilies(indexes: readonly LabelledReading[]): readonly Family[] {
  return [
    ...memoryFamilies(indexes),
    ...structureFamilies(indexes),
    ...integrityFamilies(indexes),
    ...historyFamilies(indexes),
    ...branchFamilies(indexes),
    ...expiryFamilies(indexes),
  ];
}

function memoryFamilies(indexes: readonly LabelledReading[]): readonly Family[] {
  const samples = indexes.flatMap(({ labels, engine: { memory } }) =>
    Object.entries({ ...memory, codesInFile: undefined }).flatMap(([part, value]) =>
      value === undefined ? [] : [{ labels: { ...labels, part }, value }],
    ),
  );
  const inFiles = indexes.flatMap(({ labels, engine: { memory } }) =>
    memory === null ? [] : [{ labels, value: memory.codesInFile }],
  );
  return [
    gauge('pinyon_memory_bytes', 'Memory of an index by content.', samples),
    gauge(
      'pinyon_codes_on_disk_bytes',
      'Codes of vectors in a file, of which the system keeps in memory what it has room for.',
      inFiles,
    ),
  ];
}

const STRUCTURE: readonly (readonly [string, string, (fields: IndexStructure) => number | undefined])[] = [
  ['pinyon_namespaces_loaded', 'Namespaces in memory.', ({ namespacesLoaded }) => namespacesLoaded],
  ['pinyon_slots', 'Slots of records in memory, tombstones included.', ({ slots }) => slots],
  ['pinyon_graph_slots', 'Slots searched through graphs.', ({ graphSlots }) => graphSlots],
  [
    'pinyon_unindexed_slots',
    'Slots that wait for their insertion into a graph.',
    ({ unindexedSlots }) => unindexedSlots,
  ],
  [
    'pinyon_tail_slots',
    'Deprecated: the old name of pinyon_unindexed_slots.',
    ({ unindexedSlots }) => unindexedSlots,
  ],
  ['pinyon_build_slots', 'Slots that the running graph builds insert.', ({ building }) => building?.total],
  [
    'pinyon_build_done_slots',
    'Slots that the running graph builds have inserted.',
    ({ building }) => building?.done,
  ],
];

function structureFamilies(indexes: readonly LabelledReading[]): readonly Family[] {
  const ofStructure = STRUCTURE.map(([name, help, take]) =>
    gauge(
      name,
      help,
      ofEngine(indexes, ({ structure }) => (structure === null ? undefined : take(structure))),
    ),
  );
  return [
    ...ofStructure,
    gauge(
      'pinyon_namespaces_oversized',
      'Namespaces that do not fit in memory, or cannot be loaded: searches read their records.',
      ofEngine(indexes, ({ namespacesOversized }) => namespacesOversized ?? undefined),
    ),
  ];
}

function integrityFamilies(indexes: readonly LabelledReading[]): readonly Family[] {
  return [
    gauge(
      'pinyon_index_damaged',
      '1 for an index that is closed because its files are damaged or missing, else 0.',
      ofEngine(indexes, ({ damage }) => Number(damage.isClosed)),
    ),
    gauge(
      'pinyon_damaged_records',
      'Damaged records and vectors met since the start, by requests or in the background.',
      ofEngine(indexes, ({ damage }) => damage.records),
    ),
    counter(
      'pinyon_scrubbed_bytes_total',
      'Bytes of the index read in the background to find damage.',
      ofEngine(indexes, ({ scrub }) => scrub?.bytes),
    ),
    gauge(
      'pinyon_scrub_finished_seconds',
      'When the index was last read to its end in the background, since 1970.',
      ofEngine(indexes, ({ scrub }) => scrub?.finishedAt ?? undefined),
    ),
  ];
}

function historyFamilies(indexes: readonly LabelledReading[]): readonly Family[] {
  const nowSeconds = Date.now() / MILLISECONDS_PER_SECOND;
  return [
    gauge(
      'pinyon_history_bytes',
      'Disk space of what the index keeps of the past, with what waits to be used again.',
      ofEngine(indexes, ({ history }) => history?.bytes),
    ),
    gauge(
      'pinyon_history_window_seconds',
      'How long ago the earliest moment is to which the index can return.',
      ofEngine(indexes, ({ history }) =>
        history === null ? undefined : Math.max(0, nowSeconds - history.from),
      ),
    ),
  ];
}

function branchFamilies(indexes: readonly LabelledReading[]): readonly Family[] {
  return [
    gauge(
      'pinyon_branches',
      'Branches of namespaces.',
      ofEngine(indexes, ({ branches }) => branches?.count),
    ),
    gauge(
      'pinyon_branch_records',
      'Records that branches do not share with their sources.',
      ofEngine(indexes, ({ branches }) => branches?.ownRecords),
    ),
    gauge(
      'pinyon_branch_bytes',
      'Bytes of the records that branches do not share: ids, vectors and metadata.',
      ofEngine(indexes, ({ branches }) => branches?.ownBytes),
    ),
  ];
}

function expiryFamilies(indexes: readonly LabelledReading[]): readonly Family[] {
  const expiring = indexes.flatMap(({ labels, removals }) =>
    removals === undefined ? [] : [{ labels, removals }],
  );
  const nowSeconds = Date.now() / MILLISECONDS_PER_SECOND;
  return [
    counter(
      'pinyon_expired_records_removed_total',
      'Expired records that the background has removed from the index since the start.',
      expiring.map(({ labels, removals }) => ({ labels, value: removals.removed })),
    ),
    gauge(
      'pinyon_expired_records_waiting_seconds',
      'How long ago the earliest record expired that waits for its removal; 0 when none waits.',
      expiring.map(({ labels, removals: { oldest } }) => ({
        labels,
        value: oldest === null ? 0 : Math.max(0, nowSeconds - oldest),
      })),
    ),
  ];
}

/** Samples of values that the engine provides; without the value there is no sample. */
export function ofEngine(
  indexes: readonly LabelledReading[],
  take: (fields: IndexMetrics) => number | undefined,
): readonly Sample[] {
  return indexes.flatMap(({ labels, engine }) => {
    const value = take(engine);
    return value === undefined ? [] : [{ labels, value }];
  });
}
