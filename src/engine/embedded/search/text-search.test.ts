// Text search in memory finds what the naive evaluator finds, over many chunks and segments, after updates and deletes.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TextQuery } from '../../../domain/full-text/text-query.ts';
import { TEXTS_ONLY, term } from '../../conformance/document-data.ts';
import { sampleProfile, sampleQuery } from '../../conformance/sample-data.ts';
import type { Metadata } from '../../port/reader-and-writer.ts';
import { openInProcess } from '../in-process-index.ts';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { SegmentHeader } from '../segments/segment-header.ts';
import { Articles, articleQuery } from '../testing/articles.ts';
import { effort } from '../testing/effort.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { ListSearch } from '../text/list-search.ts';
import { TextWriter } from '../text/text-writer.ts';
import { TextSearch, TIES_MAX } from './text-search.ts';

const RECORDS = effort({ daily: 6_000, long: 40_000 });
const QUERIES = effort({ daily: 20, long: 400 });
const BATCH = 1_000;
/** In terms. */
const LONG_PHRASE = 3_000;
/** Small enough that the records take several. */
const SMALL_ARENA_FRAMES = 26;

for (const [name, options] of [
  ['one segment', {}],
  ['several segments', { framesMax: SMALL_ARENA_FRAMES, arenasMax: 32 }],
] as const) {
  it(`finds and scores the same records as the naive evaluator in ${name}`, async (test) => {
    const profile = sampleProfile(TEXTS_ONLY);
    const index = openInProcess(profile, tempFolder(test), { directRecordsMax: 0, ...options });
    test.after(() => index.close());
    const random = new Random(7);
    const articles = new Articles(random);
    for (let first = 0; first < RECORDS; first += BATCH) {
      await articles.write(index, BATCH);
      if (first === 0) await index.reader.query(sampleQuery({ text: term('text', 'w1') }));
      await articles.change(index);
    }
    const queries = Array.from({ length: QUERIES }, () => articleQuery(random, 2));
    await articles.check(index, queries);
    const segments = index.parts.loaded.segments().length;
    assert.ok(name === 'one segment' ? segments === 1 : segments > 1, `${segments} segments`);
  });
}

it('refuses a query that looks up too many terms of too many records, by their number alone', async (test) => {
  const index = openInProcess(sampleProfile(TEXTS_ONLY), tempFolder(test), { directRecordsMax: 0 });
  test.after(() => index.close());
  const words = Array.from({ length: 20 }, (_, at) => `w${at}`);
  const records = Array.from({ length: BATCH }, (_, at) => ({
    ...{ id: `r${at}`, values: null, sparse: null },
    metadataJson: JSON.stringify({ text: words.join(' ') }),
  }));
  await index.writer.upsert('', records);
  const phrase = (at: number): TextQuery => {
    const terms = [at % 20, (7 * at + 3) % 20].map((word, position) => ({ term: `w${word}`, position }));
    return { kind: 'phrase', field: 'text', terms, slop: 3 };
  };
  const anyOf = (phrases: number) => {
    const should = Array.from({ length: phrases }, (_, at) => phrase(at));
    return index.reader.query(sampleQuery({ text: { kind: 'bool', must: [], should, mustNot: [] } }));
  };
  assert.ok((await anyOf(20)).length > 0);
  await assert.rejects(anyOf(400), /The query is too expensive/);
});

it('finds and counts by a prefix after a phrase of more terms than are searched for together', async (test) => {
  const index = openInProcess(sampleProfile(TEXTS_ONLY), tempFolder(test), { directRecordsMax: 0 });
  test.after(() => index.close());
  const wordsOf = (count: number) => Array.from({ length: count }, (_, at) => `p${LONG_PHRASE - count + at}`);
  const textOf = (at: number) =>
    [...wordsOf(at === 7 ? LONG_PHRASE : 3), at % 2 === 0 ? 'done' : 'dones'].join(' ');
  const records = Array.from({ length: 400 }, (_, at) => ({
    ...{ id: `r${at}`, values: null, sparse: null },
    metadataJson: JSON.stringify({ text: textOf(at), kind: 'k' }),
  }));
  await index.writer.upsert('', records);
  for (const words of [3, LONG_PHRASE]) {
    const terms = [...wordsOf(words), 'don'].map((word, position) => ({ term: word, position }));
    const text: TextQuery = { kind: 'phrasePrefix', field: 'text', terms, expansionsMax: 50 };
    const expected = words === 3 ? records.length : 1;
    assert.equal((await index.reader.query(sampleQuery({ text, topK: 500 }))).length, expected);
    const among = [{ sparse: null, text }];
    const [values] = await index.reader.countValues({
      ...{ namespace: '', filter: null, among },
      fields: [{ field: 'kind', limit: 1 }],
    });
    assert.deepEqual(values?.values, [{ value: 'k', count: expected }]);
  }
});

it('reads the list of a word once for a phrase that repeats it more often than terms are searched for together', async (test) => {
  const index = openInProcess(sampleProfile(TEXTS_ONLY), tempFolder(test), { directRecordsMax: 0 });
  test.after(() => index.close());
  const repeated = (count: number) => 'here there '.repeat(count / 2);
  const records = Array.from({ length: 400 }, (_, at) => ({
    ...{ id: `r${at}`, values: null, sparse: null },
    metadataJson: JSON.stringify({
      text: `${repeated(at === 7 ? LONG_PHRASE : 20)} ${at === 8 ? 'rare' : ''}`,
    }),
  }));
  await index.writer.upsert('', records);
  const words = repeated(LONG_PHRASE).trim().split(' ');
  const phraseOf = (...last: readonly string[]): TextQuery => {
    const terms = [...words, ...last].map((word, position) => ({ term: word, position }));
    return { kind: 'phrase', field: 'text', terms, slop: 0 };
  };
  const reads = test.mock.method(ListSearch.prototype, 'matchingAny').mock;
  const readsOf = async (text: TextQuery, expected: readonly string[]) => {
    reads.resetCalls();
    const found = await index.reader.query(sampleQuery({ text }));
    assert.deepEqual(
      found.map(({ id }) => id),
      expected,
    );
    return reads.callCount();
  };
  assert.equal(await readsOf(phraseOf(), ['r7']), 2);
  assert.equal(await readsOf(phraseOf('nowhere', 'rare'), []), 2, 'none after a word that no record has');
});

it('tells records by their ids whose scores boosts make the same, as a search without memory does', async (test) => {
  const found = async (directRecordsMax: number) => {
    const index = openInProcess(sampleProfile(TEXTS_ONLY), tempFolder(test), { directRecordsMax });
    test.after(() => index.close());
    const records = Array.from({ length: 500 }, (_, at) => ({
      ...{ id: `r${(7 * at) % 500}`, values: null, sparse: null },
      metadataJson: JSON.stringify({ text: `kernel linux ${'more '.repeat(at % 9)}` }),
    }));
    await index.writer.upsert('', records);
    const fuzzy: TextQuery = { kind: 'fuzzy', field: 'text', term: 'kernel', editsMax: 1 };
    const any = (...should: readonly TextQuery[]) => ({
      kind: 'bool' as const,
      must: [],
      should,
      mustNot: [],
    });
    const answers: unknown[] = [];
    for (const factor of [1e3, 1e6, 1e9]) {
      const text = any({ kind: 'boost', factor, query: fuzzy }, term('text', 'linux'));
      answers.push((await index.reader.query(sampleQuery({ text, topK: 10 }))).map(({ id }) => id));
    }
    const zero: TextQuery = { kind: 'boost', factor: 0, query: term('text', 'linux') };
    const nested = Array.from({ length: 9 }).reduce<TextQuery>(
      (query) => ({ kind: 'boost', factor: 3e38, query: any(query) }),
      zero,
    );
    const huge = Array.from({ length: 9 }).reduce<TextQuery>(
      (query) => ({ kind: 'boost', factor: 3e38, query: any(query) }),
      any(term('text', 'linux'), fuzzy),
    );
    for (const text of [nested, { kind: 'boost', factor: 0, query: huge }] as const)
      answers.push((await index.reader.query(sampleQuery({ text, topK: 10 }))).map(({ score }) => score));
    return answers;
  };
  const answers = await found(0);
  assert.deepEqual(answers, await found(1_000));
  assert.deepEqual(answers.at(-1), Array(10).fill(0));
});

it('finds the same as a search without memory under boosts beyond the range of numbers, with finite scores', async (test) => {
  const words = (at: number) =>
    `linux ${at < 450 && at % 3 === 0 ? 'rare ' : ''}${at % 2 === 0 ? '' : 'kernel '}${'more '.repeat(at % 9)}`;
  const records = Array.from({ length: 1_500 }, (_, at) => ({
    ...{ id: `r${(7 * at) % 1_500}`, values: null, sparse: null },
    metadataJson: JSON.stringify({ text: words(at) }),
  }));
  const [linux, kernel, rare] = ['linux', 'kernel', 'rare'].map((word) => term('text', word));
  assert.ok(linux !== undefined && kernel !== undefined && rare !== undefined);
  const bool = (must: readonly TextQuery[], should: readonly TextQuery[]) =>
    ({ kind: 'bool', must, should, mustNot: [] }) as const;
  const queries = [1, 2, 9].flatMap((times) => {
    const huge = (query: TextQuery) =>
      Array.from({ length: times }).reduce<TextQuery>(
        (inner) => ({ kind: 'boost', factor: 3e38, query: bool([], [inner]) }),
        query,
      );
    return [bool([linux], [huge(rare)]), bool([], [kernel, huge(rare)]), bool([huge(linux), kernel], [])];
  });
  const found = async (directRecordsMax: number) => {
    const index = openInProcess(sampleProfile(TEXTS_ONLY), tempFolder(test), { directRecordsMax });
    test.after(() => index.close());
    await index.writer.upsert('', records);
    const answers = [];
    for (const text of queries)
      for (const topK of [5, 200]) answers.push(await index.reader.countedQuery(sampleQuery({ text, topK })));
    return answers;
  };
  const answers = await found(0);
  assert.deepEqual(answers, await found(10_000));
  for (const { matches } of answers) assert.ok(matches.every(({ score }) => Number.isFinite(score)));
});

it('counts the records that have a word in the state that was searched, also when some are deleted since', async (test) => {
  const index = openInProcess(sampleProfile(TEXTS_ONLY), tempFolder(test), { directRecordsMax: 0 });
  test.after(() => index.close());
  const records = Array.from({ length: 10 }, (_, at) => ({
    ...{ id: `r${at}`, values: null, sparse: null },
    metadataJson: JSON.stringify({ text: 'heron' }),
  }));
  await index.writer.upsert('', records);
  const searches: TextSearch[] = [];
  const search = TextSearch.prototype.search;
  test.mock.method(
    TextSearch.prototype,
    'search',
    function (this: TextSearch, ...args: Parameters<typeof search>) {
      searches.push(this);
      search.apply(this, args);
    },
  );
  const request = sampleQuery({ text: term('text', 'heron'), topK: 5 });
  const counted = async () => (await index.reader.countedQuery(request)).matched;
  assert.equal(await counted(), 10);
  const ids = records.slice(0, 7).map(({ id }) => id);
  await index.writer.deleteIds('', ids);
  assert.deepEqual(
    searches.map((each) => each.count()),
    [10],
  );
  assert.equal(await counted(), 3);
});

it('analyzes the texts of deleted records before queries have to wait for the change', async (test) => {
  const index = openInProcess(sampleProfile(TEXTS_ONLY), tempFolder(test), { directRecordsMax: 0 });
  test.after(() => index.close());
  const articles = new Articles(new Random(8));
  await articles.write(index, BATCH);
  await index.reader.query(sampleQuery({ text: term('text', 'w1') }));
  let isLocked = false;
  const [analyzed, changes] = [[] as boolean[], [] as string[]];
  for (const [method, after] of [
    ['beginChange', true],
    ['endChange', false],
  ] as const) {
    const run = SegmentHeader.prototype[method];
    test.mock.method(SegmentHeader.prototype, method, function (this: SegmentHeader) {
      isLocked = after;
      changes.push(method);
      run.call(this);
    });
  }
  const note = TextWriter.prototype.noteDeleted;
  test.mock.method(TextWriter.prototype, 'noteDeleted', function (this: TextWriter, metadata: Metadata) {
    analyzed.push(isLocked);
    note.call(this, metadata);
  });
  await articles.change(index);
  assert.ok(analyzed.length > 0 && changes.includes('endChange'));
  assert.ok(!analyzed.includes(true), 'a text was analyzed while the segment was locked');
});

it('returns the first ids of records whose scores are constant, up to a bound, as a search without memory does', async (test) => {
  const fuzzy: TextQuery = { kind: 'fuzzy', field: 'text', term: 'kernel', editsMax: 1 };
  const regex: TextQuery = { kind: 'regex', field: 'text', pattern: 'k.*' };
  const idOf = (at: number) => `r${String(99_999 - at).padStart(5, '0')}`;
  const index = openInProcess(sampleProfile(TEXTS_ONLY), tempFolder(test), { directRecordsMax: 0 });
  test.after(() => index.close());
  const write = (from: number, to: number) =>
    index.writer.upsert(
      '',
      Array.from({ length: to - from }, (_, at) => ({
        ...{ id: idOf(from + at), values: null, sparse: null },
        metadataJson: JSON.stringify({ text: 'kernels' }),
      })),
    );
  const idsOf = async (text: TextQuery) =>
    (await index.reader.query(sampleQuery({ text, topK: 3 }))).map(({ id }) => id);
  for (let from = 0; from < TIES_MAX; from += BATCH) await write(from, from + BATCH);
  const last = [1, 2, 3].map((back) => idOf(TIES_MAX - back));
  for (const text of [fuzzy, regex, { kind: 'all' }] as const) assert.deepEqual(await idsOf(text), last);
  await write(TIES_MAX, TIES_MAX + 1);
  assert.deepEqual(await idsOf(fuzzy), [2, 1, 0].map(idOf));
});
