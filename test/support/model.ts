// A naive model of one namespace: what is stored, and what a query must answer, in plain 64-bit arithmetic.
import assert from 'node:assert/strict';

export type Metric = 'cosine' | 'dotproduct' | 'euclidean';

export interface Sparse {
  readonly indices: readonly number[];
  readonly values: readonly number[];
}

export interface ModelRecord {
  readonly id: string;
  readonly values: readonly number[];
  readonly sparseValues?: Sparse;
  readonly metadata?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

export interface Match {
  readonly id: string;
  readonly score: number;
}

export interface ModelQuery {
  readonly metric: Metric;
  readonly vector: readonly number[];
  readonly sparse?: Sparse | undefined;
  readonly topK: number;
  readonly where?: (record: ModelRecord) => boolean;
}

/** Scores are sums of 32-bit products in any order; this is their relative error, with room. */
const TOLERANCE = 2e-5;

/** The best matches, best first. */
export function bestMatches(records: Iterable<ModelRecord>, query: ModelQuery): readonly Match[] {
  const { where = () => true, topK, metric } = query;
  const scored = [...records].filter(where).map((record) => ({ id: record.id, score: score(record, query) }));
  const sign = metric === 'euclidean' ? 1 : -1;
  return scored.sort((a, b) => sign * (a.score - b.score)).slice(0, topK);
}

export function score(record: ModelRecord, { metric, vector, sparse }: ModelQuery): number {
  if (metric === 'euclidean')
    return dot(difference(record.values, vector), difference(record.values, vector));
  const product = dot(record.values, vector);
  if (metric === 'dotproduct') return product + sparseDot(record.sparseValues, sparse);
  return product / Math.sqrt(dot(vector, vector) * dot(record.values, record.values));
}

/** The answer has the right scores at every place, and each record the score that is its own. */
export function assertMatches(
  actual: readonly Match[],
  records: ReadonlyMap<string, ModelRecord>,
  query: ModelQuery,
): void {
  const expected = bestMatches(records.values(), query);
  const idsOf = (matches: readonly Match[]) => matches.map(({ id }) => id).join(' ');
  const told = () => `got ${idsOf(actual)}\nexpected ${idsOf(expected)}`;
  assert.equal(actual.length, expected.length, told());
  assert.equal(new Set(actual.map(({ id }) => id)).size, actual.length, told());
  actual.forEach((match, place) => {
    const record = records.get(match.id);
    assert.ok(record !== undefined, `${match.id} is not stored`);
    assert.ok(query.where?.(record) ?? true, `${match.id} does not match the filter`);
    assertClose(match.score, score(record, query), `score of ${match.id}`);
    assertClose(match.score, expected[place]?.score ?? Number.NaN, `place ${place}; ${told()}`);
  });
}

function assertClose(actual: number, expected: number, what: string): void {
  const error = Math.abs(actual - expected);
  assert.ok(error <= TOLERANCE * Math.max(1, Math.abs(expected)), `${what}: ${actual}, not ${expected}`);
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + stored(value) * stored(b[i] ?? 0), 0);
}

function difference(a: readonly number[], b: readonly number[]): readonly number[] {
  return a.map((value, i) => stored(value) - stored(b[i] ?? 0));
}

function sparseDot(a: Sparse | undefined, b: Sparse | undefined): number {
  if (a === undefined || b === undefined) return 0;
  const weights = new Map(b.indices.map((index, i) => [index, stored(b.values[i] ?? 0)]));
  return a.indices.reduce((sum, index, i) => sum + stored(a.values[i] ?? 0) * (weights.get(index) ?? 0), 0);
}

/** Vectors are kept as 32-bit floats. */
function stored(value: number): number {
  return Math.fround(value);
}
