// Guarantees of sparse vectors: the index space, weights, and properties of any text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeSparse, termIndices } from './sparse.ts';

/** Made by search: both have the hash 3592046772. */
const COLLIDING = ['w26nx', 'w32nf'] as const;
const GOLDEN_WORDS = {
  ...{ aapl: 5.1163, s: 0.7925, q3: 5.1163, revenue: 3.9329, the: 0.4563, iphones: 5.1163 },
  ...{ sold: 2.5156, well: 1.5832, and: 0.5305, grew: 2.7719 },
};
const GOLDEN_STEMS = {
  ...{ aapl: 5.1163, s: 0.7925, q3: 5.1163, revenu: 3.6957, the: 0.4563, iphon: 5.1163 },
  ...{ sold: 2.5156, well: 1.5818, and: 0.5305, grew: 2.7719 },
};
const TEXT = "AAPL's Q3 revenue: the iPhones sold well, and the revenue grew.";

test('gives each word of a query weight 1, once, at the index of the hosted model', () => {
  const { indices, values, tokens } = encodeSparse(TEXT, { inputType: 'query', form: 'words' });
  const expected = ['aapl', 's', 'q3', 'revenue', 'the', 'iphones', 'sold', 'well', 'and', 'grew'];
  assert.deepEqual([...tokens].sort(), expected.sort());
  assert.ok(values.every((value) => value === 1));
  assert.equal(indices[tokens.indexOf('aapl')], 1640781426);
  assert.equal(indices[tokens.indexOf('q3')], 3517203014);
});

test('keeps the golden weights of stored passages', () => {
  const weights = (form: 'words' | 'stems') => {
    const { tokens, values } = encodeSparse(TEXT, { inputType: 'passage', form });
    return Object.fromEntries(tokens.map((token, i) => [token, Number(values[i]?.toFixed(4))]));
  };
  assert.deepEqual(weights('words'), GOLDEN_WORDS);
  assert.deepEqual(weights('stems'), GOLDEN_STEMS);
});

test('finds other forms of a word by stems, but not by whole words', () => {
  const shared = (form: 'words' | 'stems') => {
    const passage = new Set(encodeSparse('connecting pipes', { inputType: 'passage', form }).indices);
    return [...termIndices('connected pipe', form)].filter((index) => passage.has(index)).length;
  };
  assert.equal(shared('stems'), 2);
  assert.equal(shared('words'), 0);
});

test('joins words that share an index into one entry with both names', () => {
  const [first, second] = COLLIDING;
  const { indices, values, tokens } = encodeSparse(`${first} ${second}`, {
    inputType: 'passage',
    form: 'words',
  });
  assert.equal(indices.length, 1);
  assert.ok((values[0] ?? 0) > 0);
  assert.deepEqual(tokens[0]?.split(' ').sort(), [first, second].sort());
});

/** Any code units, unpaired surrogates included. */
const anyText = fc.array(fc.nat(0xffff), { maxLength: 40 }).map((units) => String.fromCharCode(...units));

test('yields ascending unique indices and positive finite weights of equal number for any text', () => {
  const options = fc.record({
    inputType: fc.constantFrom('query' as const, 'passage' as const),
    form: fc.constantFrom('words' as const, 'stems' as const),
  });
  fc.assert(
    fc.property(anyText, options, (text, options) => {
      const { indices, values, tokens } = encodeSparse(text, options);
      assert.equal(values.length, indices.length);
      assert.equal(tokens.length, indices.length);
      for (let i = 1; i < indices.length; i++) assert.ok((indices[i - 1] ?? 0) < (indices[i] ?? 0));
      assert.ok(values.every((value) => value > 0 && Number.isFinite(value)));
    }),
    { seed: 31, numRuns: 200 },
  );
});

test('yields no entries for a text without words', () => {
  assert.deepEqual(encodeSparse(' … ', { inputType: 'passage', form: 'stems' }), {
    indices: new Uint32Array(),
    values: new Float32Array(),
    tokens: [],
  });
});
