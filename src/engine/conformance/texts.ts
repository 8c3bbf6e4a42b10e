// Conformance: full-text search of documents.
import assert from 'node:assert/strict';
import type { Filter } from '../../domain/filter/grammar.ts';
import type { TextQuery } from '../../domain/full-text/text-query.ts';
import type { VectorReader } from '../port/reader-and-writer.ts';
import { anyOf, articles, DOCUMENTS, document, phrase, TEXTS_ONLY, term } from './document-data.ts';
import { ANY_BYTES, assertFault, assertScores, type Check, idsOf } from './harness.ts';
import { sampleQuery, where } from './sample-data.ts';

/** BM25 of a term that one of three records has, in a field of three tokens, as all of them. */
const ONE_OF_THREE = Math.log1p(2.5 / 1.5);
/** The same of a term that two of three records have. */
const TWO_OF_THREE = Math.log1p(1.5 / 2.5);

export function texts(check: Check): void {
  check('scores terms by BM25 and adds up fields', DOCUMENTS, async ({ reader, writer }) => {
    await writer.upsert('', articles());
    await assertScores(reader, { text: term('text', 'apple') }, [['apple', ONE_OF_THREE]]);
    await assertScores(reader, { text: anyOf(term('text', 'apple'), term('title', 'orchard')) }, [
      ['apple', ONE_OF_THREE + TWO_OF_THREE],
      ['pear', TWO_OF_THREE],
    ]);
    await assertScores(reader, { text: { kind: 'boost', factor: 3, query: term('text', 'car') } }, [
      ['car', 3 * ONE_OF_THREE],
    ]);
    await assertScores(reader, { text: { kind: 'boost', factor: 0, query: term('text', 'car') } }, [
      ['car', 0],
    ]);
    assert.deepEqual(await found(reader, term('text', 'orchard')), []);
    assert.deepEqual(await found(reader, term('none', 'apple')), []);
    assert.deepEqual(await reader.query(sampleQuery({ text: term('text', 'apple'), namespace: 'none' })), []);
  });
  check('counts live records alone in statistics', TEXTS_ONLY, async ({ reader, writer }) => {
    const records = articles().map((record) => ({ ...record, values: null }));
    await writer.upsert('', [...records, document('d', { text: 'apple pie with cream' }, null)]);
    await writer.upsert('', [document('e', { text: 'apple' }, null)]);
    await writer.deleteIds('', ['d', 'e']);
    await assertScores(reader, { text: term('text', 'apple') }, [['apple', ONE_OF_THREE]]);
    await writer.update('', {
      id: 'pear',
      values: null,
      sparse: null,
      setMetadata: { text: 'fresh apple fruit' },
    });
    await assertScores(reader, { text: term('text', 'apple') }, [
      ['apple', TWO_OF_THREE],
      ['pear', TWO_OF_THREE],
    ]);
    await writer.update('', {
      id: 'car',
      values: null,
      sparse: null,
      setMetadata: null,
      removeMetadata: ['title'],
    });
    assert.deepEqual(await found(reader, term('title', 'garage')), []);
  });
  check('finds phrases, with slop and with a prefix at their end', TEXTS_ONLY, async ({ reader, writer }) => {
    await writer.upsert('', [
      document('a', { text: 'the quick brown fox' }, null),
      document('b', { text: 'the brown quick fox' }, null),
      document('c', { text: 'quick quick brown foxes, quick brown' }, null),
    ]);
    const quickBrown = phrase('text', ['quick', 'brown']);
    assert.deepEqual((await found(reader, quickBrown)).toSorted(), ['a', 'c']);
    assert.deepEqual((await found(reader, { ...quickBrown, slop: 1 })).toSorted(), ['a', 'c']);
    assert.deepEqual((await found(reader, { ...quickBrown, slop: 2 })).toSorted(), ['a', 'b', 'c']);
    const prefix = { ...quickBrown, kind: 'phrasePrefix', expansionsMax: 50 } as const;
    assert.deepEqual(await found(reader, { ...prefix, terms: phrase('text', ['quick', 'br']).terms }), [
      'a',
      'c',
    ]);
    const foxes = phrase('text', ['brown', 'fox']).terms;
    assert.deepEqual(await found(reader, { ...prefix, terms: foxes }), ['a', 'c']);
    // The first term with the prefix is 'fox' itself.
    assert.deepEqual(await found(reader, { ...prefix, terms: foxes, expansionsMax: 1 }), ['a']);
    await assertScores(reader, { text: { ...prefix, terms: foxes } }, [
      ['a', 1],
      ['c', 1],
    ]);
  });
  check('matches fuzzy terms by code points', TEXTS_ONLY, async ({ reader, writer }) => {
    await writer.upsert('', [
      document('a', { text: 'Grüße' }, null),
      document('b', { text: 'grube' }, null),
      document('c', { text: 'Grub' }, null),
    ]);
    const fuzzy = (editsMax: number): TextQuery => ({
      kind: 'fuzzy',
      field: 'text',
      term: 'grube',
      editsMax,
    });
    assert.deepEqual(await found(reader, fuzzy(0)), ['b']);
    assert.deepEqual(await found(reader, fuzzy(1)), ['b', 'c']);
    assert.deepEqual(await found(reader, fuzzy(2)), ['a', 'b', 'c']);
  });
  check('combines queries as must, should and must not', TEXTS_ONLY, async ({ reader, writer }) => {
    await writer.upsert(
      '',
      articles().map((record) => ({ ...record, values: null })),
    );
    const [fruit, pear, apple] = [term('text', 'fruit'), term('text', 'pear'), term('text', 'apple')];
    const bool = { kind: 'bool', must: [], should: [], mustNot: [] } as const;
    assert.deepEqual(await found(reader, { ...bool, must: [fruit], should: [pear] }), ['pear', 'apple']);
    assert.deepEqual(await found(reader, { ...bool, must: [fruit], mustNot: [pear] }), ['apple']);
    assert.deepEqual(await found(reader, { ...bool, must: [apple, pear] }), []);
    assert.deepEqual(await found(reader, { ...bool, mustNot: [pear] }), []);
    assert.deepEqual(await found(reader, { ...bool, must: [{ kind: 'all' }], mustNot: [pear] }), [
      'apple',
      'car',
    ]);
    assert.deepEqual(await found(reader, { kind: 'all' }), ['apple', 'car', 'pear']);
    assert.deepEqual(await found(reader, { kind: 'none' }), []);
    const { length } = await reader.query(sampleQuery({ text: { kind: 'all' }, topK: 2 }));
    assert.equal(length, 2);
  });
  check('stems texts and queries alike, and drops stop words', TEXTS_ONLY, async ({ reader, writer }) => {
    await writer.upsert('', [
      document('a', { body: 'The dogs were running' }, null),
      document('b', { body: 'cats' }, null),
    ]);
    assert.deepEqual(await found(reader, term('body', 'dog')), ['a']);
    assert.deepEqual(await found(reader, term('body', 'run')), ['a']);
    assert.deepEqual(await found(reader, term('body', 'the')), []);
  });
  check('filters by texts everywhere, without an effect on scores', DOCUMENTS, async ({ reader, writer }) => {
    await writer.upsert('', articles());
    const fruit: Filter = { kind: 'text', query: term('text', 'fruit') };
    const since: Filter = where('year', { op: 'compare', relation: 'gt', bound: 2020 });
    const both: Filter = { kind: 'all', parts: [fruit, since] };
    const others: Filter = { kind: 'all', parts: [{ kind: 'not', part: fruit }, since] };
    assert.deepEqual([await reader.count('', fruit), await reader.count('', both)], [2, 1]);
    const page = { namespace: '', limit: 10, after: null, bytesMax: ANY_BYTES };
    assert.deepEqual(idsOf((await reader.fetchByFilter({ ...page, filter: fruit })).items), [
      'apple',
      'pear',
    ]);
    assert.deepEqual(idsOf((await reader.fetchByFilter({ ...page, filter: others })).items), ['car']);
    const values = Float32Array.of(0, 1);
    await assertScores(reader, { values, filter: fruit }, [
      ['pear', 0],
      ['apple', 2],
    ]);
    await assertScores(reader, { text: term('title', 'orchard'), filter: both }, [['pear', TWO_OF_THREE]]);
    await assertScores(reader, { text: term('text', 'apple'), filter: since }, []);
    assert.equal((await writer.deleteByFilter('', others)).matched, 1);
  });
  check('refuses an expansion to too many terms', TEXTS_ONLY, async ({ reader, writer }) => {
    const words = Array.from({ length: 40 }, (_, i) => String.fromCodePoint(0x4e00 + i));
    const text = words.flatMap((a) => words.map((b) => `a${a}${b}`)).join(' ');
    await writer.upsert('', [document('a', { text }, null)]);
    const fuzzy: TextQuery = { kind: 'fuzzy', field: 'text', term: 'a', editsMax: 2 };
    await assertFault('invalid-argument', reader.query(sampleQuery({ text: fuzzy })));
    assert.deepEqual(await found(reader, { ...fuzzy, editsMax: 1 }), []);
  });
  check('explains a search by text', TEXTS_ONLY, async ({ reader, writer }) => {
    await writer.upsert(
      '',
      articles().map((record) => ({ ...record, values: null })),
    );
    const { explanation } = await reader.explainQuery(sampleQuery({ text: term('text', 'fruit') }));
    assert.equal(explanation.live, 3);
    assert.ok(explanation.rowsScored >= 2);
  });
  check(
    'tells the score of a text that has all words without end, and comes near to it',
    TEXTS_ONLY,
    async (parts) => {
      const { reader, writer } = parts;
      const others = Array.from({ length: 9 }, (_, i) => document(`other-${i}`, { text: 'a pear' }, null));
      await writer.upsert('', [document('a', { text: 'apple '.repeat(500) }, null), ...others]);
      const text = anyOf(term('text', 'apple'), term('text', 'quince'));
      const { matches, explanation } = await reader.explainQuery(sampleQuery({ text }));
      const { textScoreMax } = explanation;
      assert.ok(textScoreMax !== null);
      const [share = 0] = matches.map(({ score }) => score / textScoreMax);
      // Quince, which nobody has, is the rarer of the two.
      assert.ok(share > 0.3 && share < 0.5, `${share}`);
      const single = await reader.explainQuery(sampleQuery({ text: term('text', 'apple') }));
      const [score = 0] = single.matches.map((match) => match.score);
      assert.ok(score <= (single.explanation.textScoreMax ?? 0));
      assert.ok(score >= 0.8 * (single.explanation.textScoreMax ?? 0));
    },
  );
}

/** The ids of a query's matches, best first. */
async function found(reader: VectorReader, text: TextQuery): Promise<readonly string[]> {
  return idsOf(await reader.query(sampleQuery({ text })));
}
