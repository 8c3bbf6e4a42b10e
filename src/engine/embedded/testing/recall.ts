// The recall of an index, measured with the reference model.
import assert from 'node:assert/strict';
import type { QueryRequest } from '../../port/reader-and-writer.ts';
import type { BothSides } from './assert-same.ts';

/** Scores this close count as equal: the two sides add in different orders. */
const TOLERANCE = 1e-5;

/** The recall that the engine guarantees at default settings. */
export const RECALL_PROMISED = 0.98;

/** Share of the model's matches that the index returns, or matches with equal scores. */
export async function recallOf(
  { actual, model }: BothSides,
  queries: readonly QueryRequest[],
): Promise<number> {
  let found = 0;
  let expected = 0;
  for (const query of queries) {
    const truth = await model.query(query);
    const shown = await actual.query(query);
    assert.equal(shown.length, truth.length, 'as many matches as there are');
    const last = truth.at(-1)?.score ?? 0;
    const ids = new Set(truth.map(({ id }) => id));
    const isAsGood = (score: number) => Math.abs(score - last) <= TOLERANCE * Math.max(1, Math.abs(last));
    found += shown.filter(({ id, score }) => ids.has(id) || isAsGood(score)).length;
    expected += truth.length;
  }
  return expected === 0 ? 1 : found / expected;
}

export async function assertRecall(sides: BothSides, queries: readonly QueryRequest[]): Promise<void> {
  const recall = await recallOf(sides, queries);
  assert.ok(recall >= RECALL_PROMISED, `recall ${recall.toFixed(4)}`);
}
