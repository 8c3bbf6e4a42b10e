// Compares an index with the reference model: the same records and counts, correct scores, and its recall.
import assert from 'node:assert/strict';
import type { Filter } from '../../../../domain/filter/grammar.ts';
import { readable } from '../../../conformance/same-records.ts';
import type { QueryRequest, VectorReader } from '../../../port/reader-and-writer.ts';
import type { BothSides } from '../assert-same.ts';

const SCORE_TOLERANCE = 1e-4;
/** Scores with a smaller relative difference are equal. */
const TIE = 1e-6;
const ALL = 1_000_000;
const PAGE = 700;

/** Sums over the queries of a soak. */
export class Recall {
  found = 0;
  expected = 0;
  queries = 0;
  /** Queries that searched a graph. */
  walked = 0;

  get share(): number {
    return this.expected === 0 ? 1 : this.found / this.expected;
  }
}

/** Checks that matches are live, match the filter and have correct scores in order; counts the true top results. */
export async function checkQuery(
  { actual, model }: BothSides,
  request: QueryRequest,
  recall: Recall,
): Promise<void> {
  const { matches: shown, explanation } = await actual.explainQuery(request);
  const every = await model.query({ ...request, topK: ALL });
  const truth = new Map(every.map((match) => [match.id, match]));
  assert.equal(shown.length, Math.min(request.topK, every.length), 'as many matches as there are');
  assert.equal(new Set(shown.map(({ id }) => id)).size, shown.length, 'no id twice');
  const first = every[0]?.score ?? 0;
  const last = every[shown.length - 1]?.score ?? 0;
  const isFalling = first >= (every.at(-1)?.score ?? 0);
  const slack = TIE * Math.max(Math.abs(last), Math.abs(first));
  let previous = isFalling ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  for (const { id, score, metadataJson } of shown) {
    const own = truth.get(id);
    assert.ok(own !== undefined, `${id} is live and matches`);
    assert.equal(metadataJson, own.metadataJson, `metadata of ${id}`);
    const error = Math.abs(score - own.score);
    assert.ok(
      error <= SCORE_TOLERANCE * Math.max(1, Math.abs(own.score)),
      `score of ${id}: ${score}, not ${own.score}`,
    );
    assert.ok(isFalling ? score <= previous : score >= previous, 'best first');
    previous = score;
    if (isFalling ? own.score >= last - slack : own.score <= last + slack) recall.found++;
  }
  recall.expected += shown.length;
  recall.queries++;
  if (explanation.structure.startsWith('graph')) recall.walked++;
}

/** Compares ids page by page, records, and counts by filter. */
export async function checkState(
  sides: BothSides,
  namespace: string,
  filters: readonly Filter[],
): Promise<void> {
  const { actual, model } = sides;
  const ids = await everyId(actual, namespace);
  assert.deepEqual(ids, await everyId(model, namespace), `ids of '${namespace}'`);
  const stored = (await actual.fetch(namespace, ids)).map(readable);
  assert.deepEqual(stored, (await model.fetch(namespace, ids)).map(readable), `records of '${namespace}'`);
  const described = await Promise.all([actual, model].map((side) => side.describeNamespace(namespace)));
  assert.equal(described[0]?.recordCount, described[1]?.recordCount, `record count of '${namespace}'`);
  for (const filter of filters) await checkSelection(sides, namespace, filter);
}

async function checkSelection(
  { actual, model }: BothSides,
  namespace: string,
  filter: Filter,
): Promise<void> {
  assert.equal(
    await actual.count(namespace, filter),
    await model.count(namespace, filter),
    'matches counted',
  );
  const request = { namespace, filter, limit: 50, after: 'r2', bytesMax: ALL };
  const pages = await Promise.all([actual, model].map((side) => side.fetchByFilter(request)));
  const [shown, expected] = pages.map(({ items }) => items.map(readable));
  assert.deepEqual(shown, expected, 'records fetched by filter');
}

async function everyId(reader: VectorReader, namespace: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let after: string | null = null; ; ) {
    const page: Awaited<ReturnType<VectorReader['listIds']>> = await reader.listIds({
      namespace,
      prefix: '',
      limit: PAGE,
      after,
    });
    ids.push(...page.items);
    if (page.next === null) return ids;
    after = page.next;
  }
}
