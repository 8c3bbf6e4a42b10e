// An index in a folder that tests crash (by copying the folder as it is), reopen and compare with its records.
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { IndexProfile } from '../../../../domain/index-model.ts';
import { until } from '../../../../platform/testing/until.ts';
import { sampleProfile, where } from '../../../conformance/sample-data.ts';
import { type InProcessIndex, type InProcessOptions, openInProcess } from '../../in-process-index.ts';
import { LedgerChange } from '../../indexing/derived-ledger.ts';
import type { Effect } from '../../indexing/effects.ts';
import type { SegmentWriter } from '../../segments/segment-writer.ts';
import { copyFolder } from '../copy-folder.ts';
import { HardRecords } from '../hard-records.ts';
import { tempFolder } from '../temp-folder.ts';

export const FILTERS = [
  where('slice', { op: 'compare', relation: 'lt', bound: 500 }),
  where('slice', { op: 'compare', relation: 'lt', bound: 20 }),
];

export interface Opened {
  readonly index: InProcessIndex;
  readonly folder: string;
}

export function crashFixture(
  test: TestContext,
  options: InProcessOptions = {},
  profileOptions: Partial<IndexProfile> = {},
) {
  const profile = sampleProfile({ metric: 'euclidean', dimension: 32, ...profileOptions });
  const root = tempFolder(test);
  const records = new HardRecords(profile, 7);
  const indexes = new Set<InProcessIndex>();
  let copies = 0;
  test.after(async () => {
    for (const index of indexes) await index.close();
  });
  const open = (name = 'index', more: InProcessOptions = {}): Opened => {
    const folder = join(root, name);
    const index = openInProcess(profile, folder, {
      directRecordsMax: 0,
      maintenanceLimits: { graphRecordsMin: 500, unindexedSlotsMin: 64 },
      saveIdleMs: 20,
      ...options,
      ...more,
    });
    indexes.add(index);
    return { index, folder };
  };
  return {
    profile,
    records,
    open,
    /** Opens an index of so many records, which are in memory, indexed and saved. */
    openSaved: async (count: number): Promise<Opened> => {
      const opened = open();
      await upsert(opened, records, { count });
      await load(opened, records);
      await saved(opened);
      return opened;
    },
    /** Simulates a crash. @returns the folder that it leaves */
    crash: ({ folder }: Opened): string => {
      const name = `crashed-${copies++}`;
      copyFolder(folder, join(root, name));
      return name;
    },
    close: async ({ index }: Opened) => {
      indexes.delete(index);
      await index.close();
    },
  };
}

export async function upsert(
  { index }: Opened,
  records: HardRecords,
  { namespace = '', first = 0, count = 1 } = {},
): Promise<void> {
  await index.writer.upsert(namespace, records.records(first, count));
}

/** Loads a namespace into memory. */
export async function load({ index }: Opened, records: HardRecords, namespace = ''): Promise<void> {
  await index.reader.query({ ...records.query(), namespace });
}

/** Waits until everything is indexed and saved. */
export async function saved({ index: { parts } }: Opened): Promise<void> {
  await parts.loaded.settled();
  await until(
    () => parts.loaded.segments().every((segment) => parts.checkpointer.isSaved(segment)),
    'the files',
  );
  await parts.loaded.settled();
}

export function changeLog({ index }: Opened): number {
  const { store } = index.parts.files;
  store.refresh();
  return [...store.changes.getKeys()].length;
}

/** Writes to another namespace, and waits until the change log keeps next to nothing of that. */
export async function truncated(opened: Opened, records: HardRecords): Promise<void> {
  const write = () => upsert(opened, records, { namespace: 'other', count: 1 });
  for (let i = 0; i < 20; i++) await write();
  await until(async () => {
    await write();
    return changeLog(opened) < 10;
  }, 'a short change log');
}

export function onlySegment({ index }: Opened): SegmentWriter {
  const [segment] = index.parts.loaded.segments();
  if (segment === undefined) throw new Error('nothing is in memory');
  return segment;
}

/** The position of a segment's file in a namespace that has files already. */
export function positionOf({ index }: Opened, segment: SegmentWriter, number = 0) {
  const { namespaceId } = segment;
  const { store } = index.parts.files;
  store.refresh();
  const row = [...store.derived.list()].find((each) => each.namespaceId === namespaceId)?.row;
  if (row === undefined) throw new Error('the namespace has no files');
  const isCurrent = () => index.parts.loaded.segments().includes(segment);
  return { generation: row.generation, number, count: row.segments.length, isCurrent };
}

/** Makes it look as if so many effects had been logged since. */
export function pretendBacklog({ index }: Opened, effects: number): void {
  const none = Array.from({ length: 0 });
  none.length = effects;
  index.parts.checkpointer.note({ derived: new LedgerChange(new Map()), effects: none as Effect[] });
}
