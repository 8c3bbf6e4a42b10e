// Guarantees of the training of the tables on small cases (scripts/inference).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { associations } from '../../../scripts/inference/association.ts';
import { corpusOf } from '../../../scripts/inference/corpus.ts';
import { decompose } from '../../../scripts/inference/decompose.ts';
import { eigen } from '../../../scripts/inference/eigen.ts';
import { product, SparseMatrixBuilder } from '../../../scripts/inference/sparse-matrix.ts';
import { tableFile } from '../../../scripts/inference/table-writer.ts';
import { NO_ROW, slotOf, stemKey, tablesFrom, VECTOR_LENGTH, wordKey } from './table-format.ts';

/** A repeatable number in -1..1 for a pair. */
function noise(i: number, j: number): number {
  return ((i * 7_919 + j * 104_729) % 2_003) / 1_001.5 - 1;
}

test('reconstructs the matrix from eigenvectors and eigenvalues', () => {
  const n = 12;
  const data = Float64Array.from({ length: n * n }, (_, at) => {
    const [i, j] = [Math.floor(at / n), at % n];
    return noise(Math.min(i, j), Math.max(i, j));
  });
  const { values, vectors } = eigen({ rows: n, width: n, data });
  const transposed = vectors.data.map((_, at) => vectors.data[(at % n) * n + Math.floor(at / n)] ?? 0);
  const scaled = vectors.data.map((value, at) => value * (values[at % n] ?? 0));
  const again = product({ rows: n, width: n, data: scaled }, { rows: n, width: n, data: transposed });
  for (const [at, value] of again.data.entries()) assert.ok(Math.abs(value - (data[at] ?? 0)) < 1e-9);
});

test('reconstructs a low-rank matrix from its components', () => {
  const [size, rank] = [120, 3];
  const factors = Array.from({ length: size }, (_, i) => Array.from({ length: rank }, (_, k) => noise(i, k)));
  const entry = (i: number, j: number) =>
    (factors[i] ?? []).reduce((sum, value, k) => sum + value * (factors[j]?.[k] ?? 0), 0) +
    (i === j ? 1e-4 * (i + 1) : 0);
  const builder = new SparseMatrixBuilder();
  const all = Uint32Array.from({ length: size }, (_, i) => i);
  for (const i of all)
    builder.addRow(
      all,
      Float32Array.from(all, (j) => entry(i, j)),
    );
  const { data, width } = decompose(builder.build(), rank);
  for (const i of all)
    for (const j of all) {
      let sum = 0;
      for (let k = 0; k < width; k++) sum += (data[i * width + k] ?? 0) * (data[j * width + k] ?? 0);
      assert.ok(Math.abs(sum - entry(i, j)) < 0.05, `${i} ${j}`);
    }
});

test('associates stems that occur together, in a symmetric matrix, and no others', () => {
  const synset = (gloss: string, related: readonly number[] = []) => ({ lemmas: [], gloss, related });
  const glosses = ['cat purrs', 'dog barks'].flatMap((gloss) => [
    synset(gloss),
    synset(gloss),
    synset(gloss),
  ]);
  const corpus = corpusOf(glosses, []);
  const { starts, columns, values } = associations(corpus);
  assert.deepEqual([...corpus.stems].sort(), ['bark', 'cat', 'dog', 'purr']);
  const pairs = corpus.stems.flatMap((stem, row) =>
    [...columns.subarray(starts[row], starts[row + 1])].map((column) => `${stem} ${corpus.stems[column]}`),
  );
  assert.deepEqual(pairs.sort(), ['bark dog', 'cat purr', 'dog bark', 'purr cat']);
  assert.ok(values.every((value) => value > 0));
});

test('writes each share, each row at unit length times its weight, and irregular forms', () => {
  const data = Float64Array.from({ length: 2 * VECTOR_LENGTH }, (_, at) => noise(at, 1));
  const bytes = tableFile({
    shares: {
      words: new Map([
        ['houses', 0.02],
        ['rewrote', 0.001],
      ]),
      stems: new Map([
        ['hous', 0.01],
        ['rewrit', 0],
      ]),
    },
    stems: ['hous', 'rewrit'],
    vectors: { rows: 2, width: VECTOR_LENGTH, data },
    exceptions: [['rewrote', 'rewrite']],
  });
  const { tables } = tablesFrom(bytes.buffer as ArrayBuffer);
  const at = (key: number) => slotOf(tables, key);
  assert.equal(tables.shares[at(wordKey('houses'))], Math.fround(0.02));
  assert.equal(tables.rowNumbers[at(stemKey('hous'))], 0);
  assert.equal(tables.rowNumbers[at(wordKey('houses'))], NO_ROW);
  assert.equal(tables.rowNumbers[at(wordKey('rewrote'))], 1);
  for (const [row, weight] of [0.5, 1].entries()) {
    const codes = tables.vectors.subarray(row * VECTOR_LENGTH, (row + 1) * VECTOR_LENGTH);
    const length = Math.sqrt(codes.reduce((sum, code) => sum + code * code, 0)) * (tables.scales[row] ?? 0);
    assert.ok(Math.abs(length - weight) < 1e-6);
  }
});
