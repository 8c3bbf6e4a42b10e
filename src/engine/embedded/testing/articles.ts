// Random articles for tests of text search, a naive model of what queries find in them, and random queries.
import assert from 'node:assert/strict';
import { analyzerOf } from '../../../domain/full-text/analysis/analyzer.ts';
import { evaluate } from '../../../domain/full-text/scoring/evaluate.ts';
import { TextCollection } from '../../../domain/full-text/scoring/text-collection.ts';
import type { TextQuery } from '../../../domain/full-text/text-query.ts';
import { anyOf, document, phrase, term } from '../../conformance/document-data.ts';
import { sampleQuery, sparseOf, where } from '../../conformance/sample-data.ts';
import type { InProcessIndex } from '../in-process-index.ts';
import type { Random } from '../kernels/testing/hard-vectors.ts';

const TOLERANCE = 1e-5;
const DELETED = 60;
const CHANGED = 40;
const FIELDS = ['text', 'title'] as const;
const ANALYZER = analyzerOf({ language: 'en', stemming: false, stopWords: false, ngram: null });

interface Article {
  readonly text: string;
  readonly title?: string;
  readonly n: number;
}

/** The articles of a namespace, as they were written to an index. */
export class Articles {
  readonly #random: Random;
  readonly #hasVectors: boolean;
  readonly #byId = new Map<string, Article>();
  #written = 0;

  /** @param hasVectors true for indexes of DOCUMENTS, false for those of TEXTS_ONLY */
  constructor(random: Random, { hasVectors = false } = {}) {
    this.#random = random;
    this.#hasVectors = hasVectors;
  }

  get count(): number {
    return this.#byId.size;
  }

  /** Adds new articles. */
  async write({ writer }: InProcessIndex, count: number): Promise<void> {
    const first = this.#written;
    this.#written += count;
    const batch = Array.from(
      { length: count },
      (_, i) => [`a${first + i}`, articleOf(this.#random)] as const,
    );
    for (const [id, article] of batch) this.#byId.set(id, article);
    await writer.upsert(
      '',
      batch.map(([id, article], i) => {
        if (!this.#hasVectors) return document(id, { ...article }, null);
        const sparse = i % 3 === 0 ? null : sparseOf([[article.n, 1 + (i % 7)]]);
        return { ...document(id, { ...article }, [first + i, article.n]), sparse };
      }),
    );
  }

  /** Deletes some articles, and changes the text of others. */
  async change({ writer }: InProcessIndex): Promise<void> {
    const random = this.#random;
    const ids = [...this.#byId.keys()];
    const deleted = Array.from({ length: DELETED }, () => ids[random.integer(ids.length)] ?? '');
    for (const id of deleted) this.#byId.delete(id);
    await writer.deleteIds('', deleted);
    const changes = Array.from({ length: CHANGED }, () => ids[random.integer(ids.length)] ?? '').map((id) => {
      const text = wordsOf(random, 30);
      const article = this.#byId.get(id);
      if (article !== undefined) this.#byId.set(id, { ...article, text });
      return { id, values: null, sparse: null, setMetadata: { text } };
    });
    await writer.updateMany('', changes);
  }

  /** Compares the answers to queries with those of the naive evaluator. */
  async check({ reader }: InProcessIndex, queries: readonly TextQuery[]): Promise<void> {
    const texts = collectionOf(this.#byId);
    for (const query of queries) {
      const scores = evaluate(query, texts);
      const shown = JSON.stringify(query);
      for (const filtered of [false, true]) {
        const filter = filtered ? where('n', { op: 'in', values: [1] }) : null;
        const wanted = [...scores]
          .filter(([id]) => !filtered || this.#byId.get(id)?.n === 1)
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
      const among = [{ sparse: null, text: query }];
      const ones = [...scores.keys()].filter((id) => this.#byId.get(id)?.n === 1);
      const isOne = where('n', { op: 'in', values: [1] });
      assert.equal(await reader.count('', { kind: 'text', query }), scores.size, shown);
      assert.equal(await reader.count('', null, among), scores.size, shown);
      assert.equal(await reader.count('', isOne, among), ones.length, shown);
      for (const [filter, matched] of [
        [null, scores.size],
        [isOne, ones.length],
      ] as const)
        for (const topK of [3, 1_000]) {
          const counted = await reader.countedQuery(sampleQuery({ text: query, filter, topK }));
          assert.deepEqual(
            [counted.matched, counted.matches.length],
            [matched, Math.min(topK, matched)],
            shown,
          );
        }
    }
  }
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

/** A random query of any kind, nested up to `depth`. */
export function articleQuery(random: Random, depth: number): TextQuery {
  const field = FIELDS[random.integer(2)] ?? 'text';
  const some = () => Array.from({ length: random.integer(3) }, () => articleQuery(random, depth - 1));
  switch (random.integer(depth > 0 ? 9 : 6)) {
    case 0:
    case 1:
      return term(field, wordOf(random));
    case 2:
      return { ...phrase(field, [wordOf(random), wordOf(random)]), slop: random.integer(4) };
    case 3: {
      const before = Array.from({ length: 1 + random.integer(4) }, () => `w${1 + random.integer(2)}`);
      const { terms } = phrase(field, [...before, `w${random.integer(10)}`]);
      return { kind: 'phrasePrefix', field, terms, expansionsMax: 5 };
    }
    case 4:
      return { kind: 'fuzzy', field, term: wordOf(random), editsMax: 1 };
    case 5:
      return { kind: 'regex', field, pattern: `w${random.integer(10)}[0-4]{1,2}` };
    case 6:
      return { kind: 'boost', factor: random.integer(4) / 2, query: articleQuery(random, depth - 1) };
    case 7:
      return anyOf(...Array.from({ length: 1 + random.integer(4) }, () => term('text', wordOf(random))));
    default:
      return { kind: 'bool', must: some(), should: some(), mustNot: some() };
  }
}
