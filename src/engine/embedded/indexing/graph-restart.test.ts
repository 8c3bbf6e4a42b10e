// A restored graph has the same entry points: what its file does not keep of clusters is computed again.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { until } from '../../../platform/testing/until.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { sampleCount } from '../ann/cluster-sizing.ts';
import { type InProcessIndex, openInProcess } from '../in-process-index.ts';
import { type BinaryCode, readBinaryCodes } from '../kernels/testing/cluster-lists.ts';
import { assertGraphIsSound } from '../testing/fault-injection/check-graph.ts';
import { HardRecords } from '../testing/hard-records.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { InProcessBuilders } from './builds/in-process-builders.ts';

const DIMENSION = 160;
/** Regions are chosen at 1,024. */
const RECORDS = 1_200;
const PROFILE = sampleProfile({ metric: 'cosine', dimension: DIMENSION });

it('computes the same binary codes of samples after a restart', async (test) => {
  const folder = join(tempFolder(test), 'index');
  const records = new HardRecords(PROFILE, 17);
  const open = () => {
    const limits = { graphRecordsMin: 500, unindexedSlotsMin: 64 };
    const builders = new InProcessBuilders();
    return openInProcess(PROFILE, folder, {
      directRecordsMax: 0,
      maintenanceLimits: limits,
      saveIdleMs: 20,
      builders,
    });
  };
  const first = open();
  await first.writer.upsert('', records.records(0, RECORDS));
  await first.reader.query(records.query(null));
  const { loaded, checkpointer } = first.parts;
  await loaded.settled();
  await until(() => loaded.segments().every((segment) => checkpointer.isSaved(segment)), 'the file');
  const before = binaryCodesOf(first);
  await first.close();
  const second = open();
  test.after(() => second.close());
  await second.reader.query(records.query(null));
  assert.equal(before.length, sampleCount(RECORDS));
  assert.deepEqual(binaryCodesOf(second), before);
});

/** Those of the only segment, whose graph must be sound. */
function binaryCodesOf(index: InProcessIndex): readonly BinaryCode[] {
  const [segment] = index.parts.loaded.segments();
  assert.ok(segment?.graphIndex.graph);
  assertGraphIsSound(segment);
  const { address: graph, slots } = segment.graphIndex.graph;
  return readBinaryCodes(segment.context.arena.memory, {
    graph,
    dim: DIMENSION,
    samples: sampleCount(slots),
  });
}
