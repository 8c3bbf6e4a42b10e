// Guarantees of dense vectors: golden values that stored indexes depend on, and properties of any text.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { DENSE_DIMENSION_MAX, DENSE_DIMENSION_MIN, encodeDense, type InputType } from './dense.ts';

const DIMENSION = 384;
/** One a dimension: 384, 512, 768, 1024, 2048. */
const GOLDEN_PASSAGES = [
  '8c420cd791ef7025',
  '49cbf39aa6d2a39e',
  '1eb86b277ca829db',
  '34db0897c368d69a',
  '7130bdf052241ddc',
];
const GOLDEN_QUERIES = 'c1ebebe9b31d1229';

/** Of passages; before they were spread, the largest was 0.36 and 0.43 of these. */
const LARGEST_NUMBER_MAX = 0.2;

/** Any code units, unpaired surrogates included. */
const anyText = fc.array(fc.nat(0xffff), { maxLength: 40 }).map((units) => String.fromCharCode(...units));

function encode(text: string, inputType: InputType = 'passage', dimension = DIMENSION): Float32Array {
  const [vector = new Float32Array()] = encodeDense([text], { dimension, inputType });
  return vector;
}

function inner(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);
}

/** A digest of the very bits. */
function digest(vectors: readonly Float32Array[]): string {
  const hash = createHash('sha256');
  for (const vector of vectors)
    hash.update(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
  return hash.digest('hex').slice(0, 16);
}

test('keeps the golden vectors of stored indexes to the last bit (else REVISION must change)', () => {
  const texts = ['A vehicle whose battery is weak, a weak battery', 'naïve café 東京都', 'mice ran', ''];
  const digests = [384, 512, 768, 1_024, 2_048].map((dimension) =>
    digest(encodeDense(texts, { dimension, inputType: 'passage' })),
  );
  assert.deepEqual(digests, GOLDEN_PASSAGES);
  assert.equal(digest(encodeDense(texts, { dimension: 1_024, inputType: 'query' })), GOLDEN_QUERIES);
});

test('gives any text a vector of unit length and of the requested dimension', () => {
  const dimension = fc.integer({ min: DENSE_DIMENSION_MIN, max: 2_048 });
  fc.assert(
    fc.property(anyText, dimension, (text, dimension) => {
      const vector = encode(text, 'passage', dimension);
      assert.equal(vector.length, dimension);
      assert.ok(Math.abs(inner(vector, vector) - 1) < 1e-5);
    }),
    { seed: 41, numRuns: 100 },
  );
});

test('encodes a text differently as query and as passage, which still match best', () => {
  const texts = ['locks', 'a dog barks', 'xyzzy plugh', '東京', ''];
  const passages = encodeDense(texts, { dimension: DIMENSION, inputType: 'passage' });
  for (const [own, text] of texts.slice(0, -1).entries()) {
    const query = encode(text, 'query');
    const scores = passages.map((passage) => inner(query, passage));
    assert.equal(scores.indexOf(Math.max(...scores)), own, text);
    assert.ok(query.some((value, i) => Math.abs(value - (passages[own]?.[i] ?? 0)) > 0.1));
  }
  assert.notDeepEqual(encode('', 'query'), encode('', 'passage'));
});

test('encodes a text alike alone, in a batch, and after any other texts', () => {
  const before = encode('the quick brown fox');
  const crowd = Array.from({ length: 34_000 }, (_, i) => `w${i}`).join(' ');
  const [, , after] = encodeDense(['other', crowd, 'the quick brown fox'], {
    dimension: DIMENSION,
    inputType: 'passage',
  });
  assert.deepEqual(after, before);
});

test('puts words of similar meaning nearer than others, irregular forms included', () => {
  const nearer = (text: string, like: string, unlike: string) =>
    inner(encode(text, 'query'), encode(like)) > inner(encode(text, 'query'), encode(unlike));
  assert.ok(nearer('car', 'automobile', 'carrot'));
  assert.ok(nearer('physician', 'doctor', 'physics'));
  assert.ok(nearer('mice', 'rodent', 'miser'));
  assert.ok(nearer('connexion', 'connection', 'cathedral'), 'like letters');
});

test('spreads the magnitude over the dimensions, so that 8-bit codes lose little', () => {
  const passages = [
    'The cat sat on the mat, and all the other things that were said and done there were of no use to anybody at all.',
    'A program reads its settings from a file or from the environment and writes what it does to a log.',
  ];
  for (const vector of encodeDense(passages, { dimension: 1_024, inputType: 'passage' })) {
    assert.ok(Math.max(...vector.map(Math.abs)) < LARGEST_NUMBER_MAX);
  }
});

test('refuses a dimension out of range', () => {
  for (const dimension of [0, DENSE_DIMENSION_MIN - 1, DENSE_DIMENSION_MAX + 1, 400.5, Number.NaN])
    assert.throws(() => encode('a', 'passage', dimension), RangeError);
});
