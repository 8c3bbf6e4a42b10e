// Copies use little memory whatever their size, and none that nobody reads stays open.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { inTime } from '../../../platform/testing/until.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { openInProcess } from '../in-process-index.ts';
import { indexFolder } from '../storage/index-files.ts';
import { effort } from '../testing/effort.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { IndexCopier } from './index-copier.ts';
import { incompressibleValues } from './testing/incompressible-values.ts';

const PROFILE = sampleProfile({ metric: 'euclidean', dimension: 2_048 });
const RECORDS = effort({ daily: 16_000, long: 80_000 });
const LOT = 1_000;
/** What a copying thread needs for itself, and pieces that wait to be collected. */
const GROWTH_BYTES_MAX = 112 * 2 ** 20;

async function setUp(test: TestContext, records: number, idleMsMax?: number) {
  const dataDir = tempFolder(test);
  const index = openInProcess(PROFILE, indexFolder(dataDir, PROFILE.id));
  const copier = new IndexCopier({
    dataDir,
    pinSnapshot: async (_profile, word) => index.writer.pinSnapshot(word),
    ...(idleMsMax !== undefined && { idleMsMax }),
  });
  test.after(async () => {
    await copier.close();
    await index.close();
  });
  const dimension = PROFILE.dimension ?? 0;
  for (let first = 0; first < records; first += LOT) {
    const values = incompressibleValues(LOT * dimension, first + 1);
    const batch = Array.from({ length: LOT }, (_, i) => ({
      id: `r${first + i}`,
      values: values.subarray(i * dimension, (i + 1) * dimension),
      sparse: null,
      metadataJson: null,
    }));
    await index.writer.upsert('', batch);
  }
  return { copier };
}

it('exports an index in less memory than its size', async (test) => {
  const { copier } = await setUp(test, RECORDS);
  const copy = await copier.exportIndex(PROFILE, {});
  const before = process.memoryUsage().rss;
  let [bytes, rssMax] = [0, 0];
  for await (const piece of copy.bytes) {
    bytes += piece.length;
    rssMax = Math.max(rssMax, process.memoryUsage().rss);
  }
  test.diagnostic(`${bytes} bytes, ${rssMax - before} more in memory`);
  assert.ok(RECORDS * 2_048 * 4 > GROWTH_BYTES_MAX);
  assert.ok(rssMax - before < GROWTH_BYTES_MAX, `${rssMax - before} bytes more`);
});

it('aborts an export that nobody reads', async (test) => {
  const { copier } = await setUp(test, LOT, 1);
  const copy = await copier.exportIndex(PROFILE, {});
  await new Promise((resolve) => setTimeout(resolve, 20));
  await inTime(assert.rejects(Array.fromAsync(copy.bytes), /nobody has read/), 'an export');
});
