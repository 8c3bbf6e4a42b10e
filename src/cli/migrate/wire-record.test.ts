// Guarantees of the signatures by which a migration compares a copy with its original.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FLOAT32_NORMAL_MIN } from '../../domain/records/dense-vector.ts';
import { readSparse } from '../../domain/records/sparse-vector.ts';
import { documentRecord } from './document-kind.ts';
import { signatureOf, type WireSparse } from './wire-record.ts';

const DENORMAL = FLOAT32_NORMAL_MIN / 2;
/** Two indices that are the same 32-bit float. */
const SPARSE = { indices: [4_000_000_001, 7, 4_000_000_000], values: [0.1, DENORMAL, 3] };

/** As this server returns what was upserted. */
function stored({ indices, values }: WireSparse): WireSparse {
  const sparse = readSparse(indices, values);
  return { indices: [...sparse.indices], values: [...sparse.values] };
}

describe('the signature of a record', () => {
  it('is that of its copy, whose denormal floats are 0 and whose sparse entries are in order', () => {
    const original = { id: 'a', values: [0.1, -DENORMAL, 1e-46, 2], sparseValues: SPARSE };
    const copy = { id: 'a', values: [Math.fround(0.1), 0, 0, 2], sparseValues: stored(SPARSE) };
    assert.equal(signatureOf(copy), signatureOf(original));
    const document = { _id: 'a', n: 1e-40, dense: original.values, words: SPARSE };
    const back = { words: stored(SPARSE), dense: copy.values, n: 1e-40, _id: 'a' };
    assert.equal(documentRecord(back).signature, documentRecord(document).signature);
  });

  it('is another one where a float, a sparse entry or a field is another one', () => {
    const sparses: readonly WireSparse[] = [
      { indices: [1, 2], values: [3, 4] },
      { indices: [1, 2], values: [4, 3] },
      { indices: [1, 2], values: [3, FLOAT32_NORMAL_MIN] },
      { indices: [1, 4_000_000_000], values: [3, 4] },
      { indices: [1, 4_000_000_001], values: [3, 4] },
    ];
    const vectors = sparses.map((sparseValues) => signatureOf({ id: 'a', values: [1], sparseValues }));
    const documents = sparses.map((words) => documentRecord({ _id: 'a', words }).signature);
    const dense = [[0], [FLOAT32_NORMAL_MIN], [1]].map((values) => signatureOf({ id: 'a', values }));
    const fields = [0, 1e-40].map((n) => documentRecord({ _id: 'a', n }).signature);
    for (const all of [vectors, documents, dense, fields]) assert.equal(new Set(all).size, all.length);
  });
});
