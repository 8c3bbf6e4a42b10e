// Text search in memory finds what the naive evaluator finds, over many chunks and segments, after updates and deletes.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { analyzerOf } from '../../../domain/full-text/analysis/analyzer.ts';
import { evaluate } from '../../../domain/full-text/scoring/evaluate.ts';
import { TextCollection } from '../../../domain/full-text/scoring/text-collection.ts';
import type { TextQuery } from '../../../domain/full-text/text-query.ts';
import { anyOf, document, phrase, TEXTS_ONLY, term } from '../../conformance/document-data.ts';
import { sampleProfile, sampleQuery, where } from '../../conformance/sample-data.ts';
import { type InProcessIndex, openInProcess } from '../in-process-index.ts';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { effort } from '../testing/effort.ts';
import { tempFolder } from '../testing/temp-folder.ts';

const RECORDS = effort({ daily: 10_000, long: 40_000 });
const QUERIES = effort({ daily: 40, long: 400 });
const BATCH = 1_000;
const TOLERANCE = 1e-5;
const FIELDS = ['text', 'title'] as const;
const ANALYZER = analyzerOf({ language: 'en', stemming: false, stopWords: false, ngram: null });
/** Small enough that the records take several. */
const SMALL_ARENA_FRAMES = 48;

interface Article {
  readonly text: string;
  readonly title?: string;
  readonly n: number;
}

for (const [name, options] of [
  ['one segment', {}],
  ['several segments', { framesMax: SMALL_ARENA_FRAMES, arenasMax: 32 }],
] as const) {
  it(`finds and scores the same records as the naive evaluator in ${name}`, async (test) => {
    const profile = sampleProfile(TEXTS_ONLY);
    const index = openInProcess(profile, tempFolder(test), { directRecordsMax: 0, ...options });
    test.after(() => index.close());
    const random = new Random(7);
    const articles = await write(index, random);
    const texts = collectionOf(articles);
    const queries = Array.from({ length: QUERIES }, () => queryOf(random, 2));
    for (const query of queries) await assertSame(index, query, { texts, articles });
    const segments = index.parts.loaded.segments().length;
    assert.ok(name === 'one segment' ? segments === 1 : segments > 1, `${segments} segments`);
  });
}

/** Writes records in batches, while the namespace is in memory, with changes and deletions in between. */
async function write(index: InProcessIndex, random: Random): Promise<ReadonlyMap<string, Article>> {
  const articles = new Map<string, Article>();
  for (let first = 0; first < RECORDS; first += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, i) => [`a${first + i}`, articleOf(random)] as const);
    for (const [id, article] of batch) articles.set(id, article);
    await index.writer.upsert(
      '',
      batch.map(([id, article]) => document(id, { ...article }, null)),
    );
    if (first === 0) await index.reader.query(sampleQuery({ text: term('text', 'w1') }));
    const ids = [...articles.keys()];
    const deleted = Array.from({ length: 60 }, () => ids[random.integer(ids.length)] ?? '');
    for (const id of deleted) articles.delete(id);
    await index.writer.deleteIds('', deleted);
    const changes = Array.from({ length: 40 }, () => ids[random.integer(ids.length)] ?? '').map((id) => {
      const text = wordsOf(random, 30);
      const article = articles.get(id);
      if (article !== undefined) articles.set(id, { ...article, text });
      return { id, values: null, sparse: null, setMetadata: { text } };
    });
    await index.writer.updateMany('', changes);
  }
  return articles;
}

async function assertSame(
  { reader }: InProcessIndex,
  query: TextQuery,
  expected: { readonly texts: TextCollection; readonly articles: ReadonlyMap<string, Article> },
): Promise<void> {
  const scores = evaluate(query, expected.texts);
  const shown = JSON.stringify(query);
  for (const filtered of [false, true]) {
    const filter = filtered ? where('n', { op: 'in', values: [1] }) : null;
    const wanted = [...scores]
      .filter(([id]) => !filtered || expected.articles.get(id)?.n === 1)
      .sort((a, b) => b[1] - a[1])
      .slice(0, 10);
    const matches = await reader.query(sampleQuery({ text: query, filter }));
    assert.equal(matches.length, wanted.length, shown);
    for (const [at, { id, score }] of matches.entries()) {
      for (const own of [scores.get(id), wanted[at]?.[1]])
        assert.ok(
          Math.abs(score - (own ?? -1)) <= TOLERANCE * Math.max(1, score),
          `${shown}: ${id} ${score} ${own}`,
        );
    }
  }
  assert.equal(await reader.count('', { kind: 'text', query }), scores.size, shown);
}

function collectionOf(articles: ReadonlyMap<string, Article>): TextCollection {
  const tokens = (text: string | undefined) => (text === undefined ? [] : ANALYZER.tokens(text));
  return new TextCollection(
    new Map(
      Array.from(articles, ([id, { text, title }]) => [
        id,
        new Map([
          ['text', tokens(text)],
          ['title', tokens(title)],
        ]),
      ]),
    ),
  );
}

function articleOf(random: Random): Article {
  const text = wordsOf(random, 1 + random.integer(40));
  const n = random.integer(3);
  return random.integer(3) === 0 ? { text, n } : { text, title: wordsOf(random, random.integer(5)), n };
}

function wordsOf(random: Random, count: number): string {
  return Array.from({ length: count }, () => wordOf(random)).join(' ');
}

/** A few words are in most texts, most words in a few. */
function wordOf(random: Random): string {
  return `w${Math.floor(1.6 ** (random.uniform() * 18))}`;
}

function queryOf(random: Random, depth: number): TextQuery {
  const field = FIELDS[random.integer(2)] ?? 'text';
  const some = () => Array.from({ length: random.integer(3) }, () => queryOf(random, depth - 1));
  switch (random.integer(depth > 0 ? 9 : 6)) {
    case 0:
    case 1:
      return term(field, wordOf(random));
    case 2:
      return { ...phrase(field, [wordOf(random), wordOf(random)]), slop: random.integer(4) };
    case 3: {
      const { terms } = phrase(field, [wordOf(random), `w${random.integer(10)}`]);
      return { kind: 'phrasePrefix', field, terms, expansionsMax: 5 };
    }
    case 4:
      return { kind: 'fuzzy', field, term: wordOf(random), editsMax: 1 };
    case 5:
      return { kind: 'regex', field, pattern: `w${random.integer(10)}[0-4]{1,2}` };
    case 6:
      return { kind: 'boost', factor: random.integer(4) / 2, query: queryOf(random, depth - 1) };
    case 7:
      return anyOf(...Array.from({ length: 1 + random.integer(4) }, () => term('text', wordOf(random))));
    default:
      return { kind: 'bool', must: some(), should: some(), mustNot: some() };
  }
}
