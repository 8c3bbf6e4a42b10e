// A segment takes no slot for which its arena could not hold a graph node, whatever scratch memory searches and builds use.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { openInProcess } from '../in-process-index.ts';
import { RandomRecords } from '../testing/random-records.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { type BuildScratch, scratchOf } from './builds/build-scratch.ts';
import { scratchBytesFor } from './builds/build-steps.ts';
import type { Builders } from './builds/builders.ts';

const FRAMES_EACH = 70;
const RECORDS = 12_000;
const LOT = 2_000;
/** More than a fifth, so that graphs are repaired; less than half, so that the namespace is not read anew. */
const DELETED = Math.floor(0.45 * RECORDS);

/** Builders that take the working space of real ones, and do nothing in it. */
function idleBuilders(): Builders {
  const rooms = new Map<WebAssembly.Memory, BuildScratch>();
  return {
    count: 1,
    run: async (memory, job) => {
      rooms.set(memory, scratchOf(memory, scratchBytesFor(job), rooms.get(memory) ?? null));
      return { refused: [], clusters: 0 };
    },
  };
}

for (const namespaces of [['a'], ['a', 'b']]) {
  it(`${namespaces.length} namespaces over full arenas: every slot gets into a graph, and every graph is repaired`, async (test) => {
    const profile = sampleProfile({ metric: 'cosine', dimension: 128 });
    const index = openInProcess(profile, tempFolder(test), {
      directRecordsMax: 0,
      framesMax: FRAMES_EACH * namespaces.length,
      builders: idleBuilders(),
      maintenanceLimits: { graphRecordsMin: 1_000, unindexedSlotsMin: 1 },
    });
    test.after(() => index.close());
    const { loaded } = index.parts;
    const records = new RandomRecords(profile, 21);
    for (let first = 0; first < RECORDS; first += LOT) {
      for (const namespace of namespaces) {
        await index.writer.upsert(namespace, records.records(first, LOT));
        await index.reader.query(records.query(namespace));
      }
    }
    await loaded.settled();
    const segments = loaded.segments();
    assert.ok(segments.length > namespaces.length, `${segments.length} segments`);
    for (const {
      graphIndex: { graph },
      slotCount,
    } of segments)
      assert.equal(graph?.slots ?? slotCount, slotCount);
    const ids = Array.from({ length: DELETED }, (_, i) => `r${2 * i}`);
    for (const namespace of namespaces)
      for (let first = 0; first < DELETED; first += LOT)
        await index.writer.deleteIds(namespace, ids.slice(first, first + LOT));
    await loaded.settled();
    for (const {
      graphIndex: { graph, tombstones },
    } of loaded.segments())
      assert.ok(tombstones <= Math.max(1_024, 0.2 * (graph?.slots ?? 0)), `${tombstones} tombstones`);
  });
}
