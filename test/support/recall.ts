// How much of the true best an answer holds; what it does hold must be right in every case.
import assert from 'node:assert/strict';
import { bestMatches, type Match, type ModelQuery, type ModelRecord, score } from './model.ts';

/** What the engine promises at default settings. */
export const RECALL_PROMISED = 0.98;
const SCORE_TOLERANCE = 1e-4;
/** Scores this close, as a share, are equal. */
const TIE = 1e-6;

/** Sums over many answers. */
export class Recall {
  #found = 0;
  #wanted = 0;
  answers = 0;

  /** Every match is stored, matches, is there once and has the score that is its own. */
  count(actual: readonly Match[], records: ReadonlyMap<string, ModelRecord>, query: ModelQuery): void {
    const best = bestMatches(records.values(), query);
    assert.equal(actual.length, best.length, 'as many matches as there are');
    assert.equal(new Set(actual.map(({ id }) => id)).size, actual.length, 'no id twice');
    const last = best.at(-1)?.score ?? 0;
    const slack = TIE * Math.max(1, Math.abs(last));
    for (const match of actual) {
      const record = records.get(match.id);
      assert.ok(record !== undefined, `${match.id} is not stored`);
      assert.ok(query.where?.(record) ?? true, `${match.id} does not match the filter`);
      const own = score(record, query);
      const error = Math.abs(match.score - own);
      assert.ok(
        error <= SCORE_TOLERANCE * Math.max(1, Math.abs(own)),
        `${match.id}: ${match.score}, not ${own}`,
      );
      if (query.metric === 'euclidean' ? own <= last + slack : own >= last - slack) this.#found++;
    }
    this.#wanted += best.length;
    this.answers++;
  }

  get share(): number {
    return this.#wanted === 0 ? 1 : this.#found / this.#wanted;
  }

  assertPromised(): void {
    assert.ok(this.share >= RECALL_PROMISED, `recall ${this.share.toFixed(4)} over ${this.answers} answers`);
  }
}
