// Text queries of records that are read one by one take a bounded time, whatever their words and the texts are.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { AUTOMATON_EXPANSIONS_MAX } from '../../../domain/full-text/query-limits.ts';
import type { PhraseTerm, TextQuery } from '../../../domain/full-text/text-query.ts';
import { TEXTS_ONLY, term } from '../../conformance/document-data.ts';
import { sampleProfile, sampleQuery } from '../../conformance/sample-data.ts';
import { openInProcess } from '../in-process-index.ts';
import { tempFolder } from '../testing/temp-folder.ts';

/** Of words in a field, at most. */
const WORDS_MAX = 9_999;

async function searchOf(test: TestContext, texts: readonly string[]) {
  const index = openInProcess(sampleProfile(TEXTS_ONLY), tempFolder(test));
  test.after(() => index.close());
  await index.writer.upsert(
    '',
    texts.map((text, at) => ({
      ...{ id: `r${at}`, values: null, sparse: null },
      metadataJson: JSON.stringify({ text }),
    })),
  );
  const ids = async (request: Parameters<typeof sampleQuery>[0]) =>
    (await index.reader.query(sampleQuery(request))).map(({ id }) => id);
  return { ids, reader: index.reader };
}

function phraseOf(words: readonly string[], slop: number): TextQuery {
  const terms = words.map((word, position): PhraseTerm => ({ term: word, position }));
  return { kind: 'phrase', field: 'text', terms, slop };
}

function all(...must: readonly TextQuery[]): TextQuery {
  return { kind: 'bool', must, should: [], mustNot: [] };
}

it('refuses a phrase of very many equal words, and finds it where its first occurrence is enough', async (test) => {
  const { ids, reader } = await searchOf(test, ['a '.repeat(WORDS_MAX), 'a '.repeat(4_000), 'b a']);
  for (const slop of [0, 3]) {
    const many = phraseOf(Array(5_000).fill('a'), slop);
    await assert.rejects(ids({ text: many }), /The query is too expensive/);
    const filter = { kind: 'text', query: many } as const;
    assert.equal(await reader.count('', filter), 1);
    assert.deepEqual(await ids({ text: all(term('text', 'a')), filter }), ['r0']);
    const not: TextQuery = { kind: 'bool', must: [term('text', 'a')], should: [], mustNot: [many] };
    assert.deepEqual((await ids({ text: not })).toSorted(), ['r1', 'r2']);
  }
});

it('finds phrases of some equal words in as many long records as there may be', async (test) => {
  const texts = Array.from({ length: 300 }, (_, at) => 'the sea '.repeat(at + 1));
  const { ids } = await searchOf(test, texts);
  for (const slop of [0, 1]) {
    const phrase = phraseOf(['the', 'sea', 'the', 'sea', 'the'], slop);
    assert.equal((await ids({ text: phrase, topK: 300 })).length, 298);
  }
});

it('refuses fuzzy words and expressions that test too many terms, or accept too many', async (test) => {
  const texts = Array.from({ length: 100 }, (_, at) =>
    Array.from({ length: 1_000 }, (_, word) => `w${at}x${word}`).join(' '),
  );
  const { ids } = await searchOf(test, texts);
  const fuzzy = (word: string): TextQuery => ({ kind: 'fuzzy', field: 'text', term: word, editsMax: 1 });
  const anyOf = (...should: readonly TextQuery[]): TextQuery => ({
    kind: 'bool',
    must: [],
    should,
    mustNot: [],
  });
  assert.deepEqual(await ids({ text: anyOf(fuzzy('w7x12y'), fuzzy('w8y12')) }), ['r7', 'r8']);
  const many = Array.from({ length: 128 }, (_, at) => fuzzy(`nothing${at}`));
  await assert.rejects(ids({ text: anyOf(...many) }), /The query is too expensive/);
  const regex: TextQuery = { kind: 'regex', field: 'text', pattern: '.*' };
  await assert.rejects(ids({ text: regex }), new RegExp(`more than ${AUTOMATON_EXPANSIONS_MAX} terms`));
});

it('takes the first terms of a prefix, in whatever order records have them', async (test) => {
  const texts = Array.from({ length: 250 }, (_, at) => `a w${String((at * 7) % 250).padStart(3, '0')}`);
  const { ids } = await searchOf(test, texts);
  const terms = [
    { term: 'a', position: 0 },
    { term: 'w', position: 1 },
  ];
  const text: TextQuery = { kind: 'phrasePrefix', field: 'text', terms, expansionsMax: 50 };
  const found = await ids({ text, topK: 300 });
  const first = texts.flatMap((each, at) => (each < 'a w050' ? [`r${at}`] : []));
  assert.deepEqual(found.toSorted(), first.toSorted());
});
