// Holds what an index has in shared memory against its records: the same rows, each once, with the same metadata.
import assert from 'node:assert/strict';
import type { Filter } from '../../../domain/filter/grammar.ts';
import { matches } from '../../../domain/filter/matches.ts';
import type { Metadata } from '../../port.ts';
import { Arena } from '../memory/arena.ts';
import { NamespaceView, setLive } from '../memory/namespace-view.ts';
import type { NamespaceStructure } from '../memory/structure.ts';
import type { OpenIndex } from '../writing/open-index.ts';

/** Rows that are live in memory, in order; twice when two slots hold them. Only those that match, when told so. */
export function liveRows(index: OpenIndex, spaceId: number, filter: Filter | null = null): number[] {
  const namespace = index.attachment().namespaces.find((each) => each.spaceId === spaceId);
  assert.ok(namespace !== undefined, `namespace ${spaceId} is not in memory`);
  return namespace.segments.flatMap((structure) => rowsOf(index, structure, filter)).sort((a, b) => a - b);
}

/** Every namespace in memory holds just its records. */
export function assertMemoryIsRecords(index: OpenIndex, filters: readonly Filter[] = []): void {
  const { store } = index.files;
  store.refresh();
  for (const { spaceId } of index.attachment().namespaces) {
    const records = [...store.recordsFrom(spaceId, 0)];
    assert.deepEqual(
      difference(
        liveRows(index, spaceId),
        records.map(({ row }) => row),
      ),
      NO_DIFFERENCE,
    );
    for (const filter of filters) {
      const wanted = records.filter(({ metadataJson }) =>
        matches(filter, JSON.parse(metadataJson ?? '{}') as Metadata),
      );
      const found = liveRows(index, spaceId, filter);
      assert.deepEqual(
        difference(
          found,
          wanted.map(({ row }) => row),
        ),
        NO_DIFFERENCE,
      );
    }
  }
}

const NO_DIFFERENCE = { missing: 0, unwanted: 0, twice: 0 };

function difference(found: readonly number[], wanted: readonly number[]) {
  const there = new Set(found);
  const due = new Set(wanted);
  return {
    missing: wanted.filter((row) => !there.has(row)).length,
    unwanted: [...there].filter((row) => !due.has(row)).length,
    twice: found.length - there.size,
  };
}

function rowsOf(index: OpenIndex, structure: NamespaceStructure, filter: Filter | null): number[] {
  const { memories, columnSeed } = index.attachment();
  const memory = memories[structure.arena];
  assert.ok(memory !== undefined);
  const dimension = index.loaded.segments()[0]?.context.dimension ?? null;
  const view = new NamespaceView(new Arena(memory), structure, { dimension, columnSeed });
  const bitmap = new Uint32Array(Math.ceil((view.slotCount + 1) / 32));
  const snapshot = view.snapshot(bitmap);
  assert.ok(snapshot !== null);
  setLive(bitmap, snapshot);
  const matching =
    filter && view.columns.evaluate(filter, { slotCount: snapshot.slotCount, filterable: null });
  const rows: number[] = [];
  for (let slot = 0; slot < snapshot.slotCount; slot++) {
    if (isSet(bitmap, slot) && (matching === null || isSet(matching, slot))) rows.push(view.rowOfSlot(slot));
  }
  return rows;
}

function isSet(bitmap: Uint32Array, slot: number): boolean {
  return (((bitmap[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 1;
}
