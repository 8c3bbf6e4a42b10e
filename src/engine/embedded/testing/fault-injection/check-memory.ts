// Compares what an index has in shared memory with its records: the same rows, each once, with the same ids and metadata.
import assert from 'node:assert/strict';
import type { Filter } from '../../../../domain/filter/grammar.ts';
import { matches } from '../../../../domain/filter/matches.ts';
import type { Metadata } from '../../../port/reader-and-writer.ts';
import type { OpenIndex } from '../../indexing/open-index.ts';
import { Arena } from '../../memory/arena.ts';
import { ID_BYTES_MAX } from '../../segments/id-list.ts';
import { SegmentReader, setLive } from '../../segments/segment-reader.ts';
import type { NamespaceStructure } from '../../segments/structure.ts';

/** A record in memory: its row, and its id if it is in memory. */
type RowPosition = string;

const positionOf = (row: number, id: string | null): RowPosition => `${row} ${id ?? '(long)'}`;

/** Live records in memory that match the filter; twice when two slots contain them. */
function liveRecords(index: OpenIndex, namespaceId: number, filter: Filter | null = null): RowPosition[] {
  const namespace = index.attachment().namespaces.find((each) => each.namespaceId === namespaceId);
  assert.ok(namespace !== undefined, `namespace ${namespaceId} is not in memory`);
  return namespace.segments.flatMap((structure) => recordsOf(index, structure, filter));
}

/** Checks that every namespace in memory contains exactly its records. */
export function assertMemoryIsRecords(index: OpenIndex, filters: readonly Filter[] = []): void {
  const { store } = index.files;
  store.refresh();
  for (const { namespaceId } of index.attachment().namespaces) {
    const records = [...store.records.list(namespaceId, 0)];
    for (const filter of [null, ...filters]) {
      const expected = records.filter(
        ({ metadataJson }) =>
          filter === null || matches(filter, JSON.parse(metadataJson ?? '{}') as Metadata),
      );
      const positions = expected.map(({ row, id }) => positionOf(row, id.length > ID_BYTES_MAX ? null : id));
      assert.deepEqual(difference(liveRecords(index, namespaceId, filter), positions), NO_DIFFERENCE);
    }
  }
}

const NO_DIFFERENCE = { missing: 0, unwanted: 0, twice: 0 };

function difference(found: readonly RowPosition[], expected: readonly RowPosition[]) {
  const there = new Set(found);
  const due = new Set(expected);
  return {
    missing: expected.filter((position) => !there.has(position)).length,
    unwanted: [...there].filter((position) => !due.has(position)).length,
    twice: found.length - there.size,
  };
}

function recordsOf(index: OpenIndex, structure: NamespaceStructure, filter: Filter | null): RowPosition[] {
  const { memories, columnSeed } = index.attachment();
  const memory = memories[structure.arena];
  assert.ok(memory !== undefined);
  const dimension = index.loaded.segments()[0]?.context.dimension ?? null;
  const view = new SegmentReader(new Arena(memory), structure, { dimension, columnSeed });
  const bitmap = new Uint32Array(Math.ceil((view.slotCount + 1) / 32));
  const snapshot = view.snapshot(bitmap);
  assert.ok(snapshot !== null);
  setLive(bitmap, snapshot);
  const matching =
    filter && view.columns.evaluate(filter, { slotCount: snapshot.slotCount, filterable: null });
  const positions: RowPosition[] = [];
  for (let slot = 0; slot < snapshot.slotCount; slot++)
    if (isSet(bitmap, slot) && (matching === null || isSet(matching, slot)))
      positions.push(positionOf(view.rowsOf([slot])[0] ?? 0, view.idsOf([slot])[0] ?? null));
  return positions;
}

function isSet(bitmap: Uint32Array, slot: number): boolean {
  return (((bitmap[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 1;
}
