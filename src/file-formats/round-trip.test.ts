// Tests that records read from files equal those that were written.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import type { StorableRecord } from '../domain/records/record.ts';
import { fileOf, readAll, recordsOf, SHAPES } from './testing/record-files.ts';

const OPTIONS = { seed: 5, numRuns: 30 };

function plain({ id, values, sparse, metadataJson }: StorableRecord) {
  return {
    id,
    values: values === null ? null : [...values],
    sparse: sparse === null ? null : [[...sparse.indices], [...sparse.values]],
    metadataJson,
  };
}

for (const format of ['parquet', 'jsonl'] as const) {
  describe(`a ${format} file`, () => {
    for (const [kind, shape] of Object.entries(SHAPES)) {
      it(`restores ${kind} records exactly: ids, floats, sparse entries, metadata text`, async () => {
        await fc.assert(
          fc.asyncProperty(recordsOf(shape), async (records) => {
            const batches = await readAll(await fileOf(format, records), format, shape);
            const read = batches.flatMap((batch) => batch.records);
            assert.deepEqual(read.map(plain), records.map(plain));
            assert.deepEqual(
              batches.flatMap(({ refused }) => refused),
              [],
            );
          }),
          OPTIONS,
        );
      });
    }

    it('can be read from the end of any batch on', async () => {
      const shape = { vectorType: 'dense', metric: 'cosine', dimension: 2 } as const;
      const records = Array.from({ length: 2_500 }, (_, i) => ({
        id: `r${i}`,
        values: Float32Array.of(i + 1, -i),
        sparse: null,
        metadataJson: i % 3 === 0 ? null : `{"i":${i}}`,
      }));
      const bytes = await fileOf(format, records);
      const all = await readAll(bytes, format, shape);
      assert.equal(all.at(-1)?.share, 1);
      for (const [at, batch] of all.entries()) {
        const rest = await readAll(bytes, format, shape, batch.next);
        assert.deepEqual(
          rest.flatMap((each) => each.records.map(({ id }) => id)),
          all.slice(at + 1).flatMap((each) => each.records.map(({ id }) => id)),
        );
      }
    });
  });
}

describe('a Parquet file of an export', () => {
  it('is read by the library alone, with the columns of the public layout', async () => {
    const sparse = { indices: Uint32Array.of(3, 4_294_967_295), values: Float32Array.of(0.5, -2) };
    const bytes = await fileOf('parquet', [
      { id: 'a', values: Float32Array.of(0.1, 2, 3), sparse, metadataJson: '{"é":["x"]}' },
      { id: 'b', values: Float32Array.of(1, 0, 0), sparse: null, metadataJson: null },
    ]);
    const file = new Uint8Array(bytes).buffer;
    const rows = await parquetReadObjects({ file, compressors });
    const vector = [Math.fround(0.1), 2, 3];
    const entries = { indices: [3n, 4_294_967_295n], values: [0.5, -2] };
    assert.deepEqual(rows, [
      { id: 'a', values: vector, sparse_values: entries, metadata: '{"é":["x"]}' },
      { id: 'b', values: [1, 0, 0], sparse_values: undefined, metadata: null },
    ]);
  });
});
