// Guarantees of scores beyond the largest 32-bit float, of vectors that are finite: they rank as their numbers do.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sampleProfile, sampleQuery } from '../../conformance/sample-data.ts';
import type { StorableRecord } from '../../port/reader-and-writer.ts';
import { ReferenceIndex } from '../../reference/reference-index.ts';
import { openInProcess } from '../in-process-index.ts';
import { tempFolder } from '../testing/temp-folder.ts';

const RECORDS = 300;
const TOP_K = 12;

/** Numbers of all magnitudes, of both signs, none of which is another's. */
const sizeOf = (i: number) =>
  (i % 3 === 0 ? -1 : 1) * (1 + ((i * 37) % RECORDS) / RECORDS) * 10 ** (25 + (i % 13));
const sparseOf = (i: number) => ({ indices: Uint32Array.of(3, 9), values: Float32Array.of(sizeOf(i), 1) });
const denseOf = (i: number) => Float32Array.of(sizeOf(i), 1);

const KINDS = {
  sparse: {
    profile: sampleProfile({ vectorType: 'sparse', dimension: null, metric: 'dotproduct' }),
    parts: (i: number) => ({ values: null, sparse: sparseOf(i) }),
  },
  dense: {
    profile: sampleProfile({ dimension: 2, metric: 'dotproduct' }),
    parts: (i: number) => ({ values: denseOf(i), sparse: null }),
  },
  hybrid: {
    profile: sampleProfile({ dimension: 2, metric: 'dotproduct' }),
    parts: (i: number) => ({ values: denseOf(i * 7 + 1), sparse: sparseOf(i) }),
  },
} as const;

for (const [kind, { profile, parts }] of Object.entries(KINDS))
  for (const [way, directRecordsMax] of [
    ['from the records', RECORDS],
    ['in memory', 0],
  ] as const)
    it(`ranks ${kind} vectors by scores that no float can hold, ${way}`, async (test) => {
      const index = openInProcess(profile, tempFolder(test), { directRecordsMax });
      test.after(() => index.close());
      const model = new ReferenceIndex(profile);
      const records = Array.from(
        { length: RECORDS },
        (_, i): StorableRecord => ({ id: `r${i}`, ...parts(i), metadataJson: null }),
      );
      for (const side of [index.writer, model]) await side.upsert('', records);
      for (const factor of [1, 1e20, -3e38]) {
        const given = parts(0);
        const request = sampleQuery({
          values: given.values === null ? null : Float32Array.of(factor, 1),
          sparse:
            given.sparse === null ? null : { indices: Uint32Array.of(3), values: Float32Array.of(factor) },
          topK: TOP_K,
        });
        const found = await index.reader.query(request);
        const expected = await model.query(request);
        assert.deepEqual(
          found.map(({ id }) => id),
          expected.map(({ id }) => id),
        );
        for (const [i, { score }] of found.entries())
          assert.ok(Math.abs(score / (expected[i]?.score ?? 0) - 1) < 1e-6, `${score}`);
      }
    });
