// An index of one kind of vectors, and the recall of its answers.
import assert from 'node:assert/strict';
import type { Metric } from '../../../../domain/index-model.ts';
import type { QueryStructure } from '../../../../domain/query-explain.ts';
import { sampleProfile, sampleQuery } from '../../../conformance/sample-data.ts';
import { type InProcessIndex, openInProcess } from '../../in-process-index.ts';
import { Random } from '../../kernels/testing/hard-vectors.ts';
import type { DataSet, Vectors } from './data-sets.ts';
import { bestScores, ExactScores } from './exact-scores.ts';
import { type Attributes, FILTERS, PER_MILLE, type RecallFilter } from './recall-filters.ts';

/** Scores with a smaller relative difference are equal: 32-bit floats cannot distinguish them. */
const TIE = 1e-6;
const SCORE_TOLERANCE = 1e-4;
const BATCH = 1_000;

export interface Cell {
  readonly filter: string;
  readonly topK: number;
  /** Share of the true top results that were returned, over all queries. */
  readonly recall: number;
  /** Share of the queries that searched the graph. */
  readonly searched: number;
}

export interface RecallFixtureOptions {
  readonly dataSet: DataSet;
  readonly metric: Metric;
  readonly records: number;
  readonly seed: number;
}

export class RecallFixture {
  readonly #options: RecallFixtureOptions;
  readonly #random: Random;
  readonly #next: Vectors;
  readonly #index: InProcessIndex;
  readonly #truth: ExactScores;
  readonly #attributes: Attributes[] = [];
  readonly #isLive: Uint8Array;

  constructor(folder: string, options: RecallFixtureOptions) {
    const { dataSet, metric, records, seed } = options;
    const { dimension } = dataSet;
    this.#options = options;
    this.#random = new Random(seed);
    this.#next = dataSet.make(this.#random, records);
    this.#truth = new ExactScores(metric, dimension, records);
    this.#isLive = new Uint8Array(records);
    this.#index = openInProcess(sampleProfile({ metric, dimension }), folder, {
      directRecordsMax: 0,
      maintenanceLimits: { graphRecordsMin: 500, unindexedSlotsMin: 64 },
      saveIdleMs: 3_600_000,
    });
  }

  /** Stores all records and waits until they are indexed. */
  async fill(): Promise<void> {
    const { records } = this.#options;
    const vectors = Array.from({ length: records }, this.#next);
    for (const [record, values] of vectors.entries()) this.#truth.set(record, values);
    const regions = ranks(this.#truth.of(this.#next()));
    for (const [record] of vectors.entries())
      this.#attributes.push({
        slice: this.#random.integer(PER_MILLE),
        region: Math.floor(((regions[record] ?? 0) / records) * PER_MILLE),
      });
    for (let first = 0; first < records; first += BATCH) {
      const batch = vectors.slice(first, first + BATCH).map((values, i) => ({
        id: `r${first + i}`,
        values,
        sparse: null,
        metadataJson: JSON.stringify(this.#attributes[first + i]),
      }));
      await this.#index.writer.upsert('', batch);
    }
    this.#isLive.fill(1);
    await this.#index.reader.query(sampleQuery({ values: this.#next() }));
    await this.settled();
  }

  /** Deletes until `share` of all records is gone: at random, or by distance from a random point. */
  async deleteUntil(share: number, order: 'random' | 'region'): Promise<void> {
    const live = [...this.#isLive.keys()].filter((record) => this.#isLive[record] === 1);
    const keys = order === 'random' ? live.map(() => this.#random.uniform()) : this.#truth.of(this.#next());
    const keyOf = new Map(live.map((record, i) => [record, keys[order === 'random' ? i : record] ?? 0]));
    live.sort((a, b) => (keyOf.get(b) ?? 0) - (keyOf.get(a) ?? 0));
    const gone = live.slice(0, Math.round(share * this.#isLive.length) - (this.#isLive.length - live.length));
    for (const record of gone) this.#isLive[record] = 0;
    for (let first = 0; first < gone.length; first += BATCH) {
      const ids = gone.slice(first, first + BATCH).map((record) => `r${record}`);
      await this.#index.writer.deleteIds('', ids);
    }
  }

  /** Resolves when graph maintenance is done. */
  async settled(): Promise<void> {
    await this.#index.parts.loaded.settled();
  }

  /** Runs the same queries with each filter and each topK. */
  async measure(queries: number, topKs: readonly number[]): Promise<readonly Cell[]> {
    const sums = new Map<
      string,
      { filter: string; topK: number; found: number; expected: number; searched: number }
    >();
    for (let i = 0; i < queries; i++) {
      const values = this.#next();
      const scores = this.#truth.of(values);
      for (const filter of FILTERS) {
        const best = bestScores(scores, (record) => this.#isWanted(record, filter), Math.max(...topKs));
        for (const topK of topKs) {
          const key = `${filter.name} ${topK}`;
          const sum = sums.get(key) ?? { filter: filter.name, topK, found: 0, expected: 0, searched: 0 };
          const expected = best.slice(0, topK);
          const { found, structure } = await this.#ask(values, filter, { scores, expected, topK });
          sum.found += found;
          sum.expected += expected.length;
          sum.searched += structure.startsWith('graph') ? 1 : 0;
          sums.set(key, sum);
        }
      }
    }
    return [...sums.values()].map(({ filter, topK, found, expected, searched }) => ({
      filter,
      topK,
      recall: expected === 0 ? 1 : found / expected,
      searched: searched / queries,
    }));
  }

  async close(): Promise<void> {
    await this.#index.close();
  }

  /** @returns how many of the matches belong to the true top results */
  async #ask(
    values: Float32Array,
    filter: RecallFilter,
    truth: { readonly scores: Float64Array; readonly expected: readonly number[]; readonly topK: number },
  ): Promise<{ readonly found: number; readonly structure: QueryStructure }> {
    const request = sampleQuery({ values, filter: filter.filter, topK: truth.topK });
    const { matches: shown, explanation } = await this.#index.reader.explainQuery(request);
    assert.equal(shown.length, truth.expected.length, 'as many matches as there are');
    assert.equal(new Set(shown.map(({ id }) => id)).size, shown.length, 'no id twice');
    const last = truth.expected.at(-1) ?? 0;
    const bar = last - TIE * Math.abs(last);
    const sign = this.#options.metric === 'euclidean' ? -1 : 1;
    let found = 0;
    for (const { id, score } of shown) {
      const record = Number(id.slice(1));
      assert.ok(this.#isWanted(record, filter), `${id} is live and matches`);
      const own = truth.scores[record] ?? Number.NaN;
      const error = Math.abs(sign * score - own);
      assert.ok(
        error <= SCORE_TOLERANCE * Math.max(1, Math.abs(own)),
        `score of ${id}: ${score}, not ${sign * own}`,
      );
      if (own >= bar) found++;
    }
    return { found, structure: explanation.structure };
  }

  #isWanted(record: number, filter: RecallFilter): boolean {
    const attributes = this.#attributes[record];
    return this.#isLive[record] === 1 && attributes !== undefined && filter.matches(attributes);
  }
}

/** The rank of each by descending score. */
function ranks(scores: Float64Array): readonly number[] {
  const order = [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
  const byRecord = new Array<number>(order.length).fill(0);
  for (const [rank, record] of order.entries()) byRecord[record] = rank;
  return byRecord;
}
