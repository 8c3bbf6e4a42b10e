// Scans answer exactly, however little codes tell: places of one city, many copies, and vectors that codes cannot describe.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sampleProfile, sampleQuery } from '../../conformance/sample-data.ts';
import type { StorableRecord } from '../../port/reader-and-writer.ts';
import { openInProcess } from '../in-process-index.ts';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { tempFolder } from '../testing/temp-folder.ts';

const BATCH = 5_000;
const TOP_KS = [1, 32];
const QUERIES = 3;
/** Share of a squared distance by which float arithmetic may be off. */
const ROUNDING = 1e-5;

interface Kind {
  readonly name: string;
  /** So many that more lie within the bounds of the best than a scan keeps. */
  readonly records: number;
  make(random: Random): readonly number[];
}

const KINDS: readonly Kind[] = [
  {
    name: 'places of one city',
    records: 120_000,
    make: (random) => [48.1 + 0.05 * random.normal(), 11.5 + 0.05 * random.normal()],
  },
  { name: 'numbers far from 0', records: 20_000, make: (random) => [1e6 + random.normal()] },
  {
    name: 'vectors of which some are too long for codes',
    records: 20_000,
    make: (random) =>
      random.uniform() < 0.01 ? [1e16 * random.normal(), 0, 1] : [random.normal(), random.normal(), 0],
  },
];

for (const { name, records, make } of KINDS)
  it(`finds the nearest of ${name}, all of them and each once`, async (test) => {
    const random = new Random(83);
    const rows = Array.from({ length: records }, () => Float32Array.from(make(random)));
    const profile = sampleProfile({ dimension: rows[0]?.length ?? 0, metric: 'euclidean' });
    const index = openInProcess(profile, tempFolder(test), {});
    test.after(() => index.close());
    for (let first = 0; first < records; first += BATCH)
      await index.writer.upsert('', recordsOf(rows.slice(first, first + BATCH), first));
    for (let query = 0; query < QUERIES; query++) {
      const values = rows[random.integer(records)] ?? new Float32Array(1);
      const distances = Float64Array.from(rows, (row) => squaredDistance(row, values));
      const sorted = distances.toSorted();
      for (const topK of TOP_KS) {
        const found = await index.reader.query(sampleQuery({ values, topK }));
        assert.equal(new Set(found.map(({ id }) => id)).size, topK);
        for (const [rank, { id, score }] of found.entries()) {
          const own = distances[Number(id.slice(1))] ?? Number.NaN;
          const expected = sorted[rank] ?? 0;
          assert.ok(own <= expected + ROUNDING * expected, `rank ${rank}: ${own}, not ${expected}`);
          assert.ok(Math.abs(score - own) <= ROUNDING * own, `${id}: ${score}, not ${own}`);
        }
      }
    }
  });

function recordsOf(rows: readonly Float32Array[], first: number): readonly StorableRecord[] {
  return rows.map((values, at) => ({ id: `r${first + at}`, values, sparse: null, metadataJson: null }));
}

function squaredDistance(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, at) => sum + (value - (b[at] ?? 0)) ** 2, 0);
}
