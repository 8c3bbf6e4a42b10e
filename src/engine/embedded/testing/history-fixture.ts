// An index with history for tests: a clock of its own, short steps, and random writes.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import fc from 'fast-check';
import { sampleProfile, where } from '../../conformance/sample-data.ts';
import type { RollBackProgress } from '../../port/index-history.ts';
import type { QueryRequest, StoredRecord } from '../../port/reader-and-writer.ts';
import { type InProcessIndex, openInProcess } from '../in-process-index.ts';
import type { HistoryBounds } from '../indexing/history/history-keeper.ts';
import { stagedName } from '../storage/staged-names.ts';
import { RandomRecords } from './random-records.ts';
import { tempFolder } from './temp-folder.ts';

export const PROFILE = sampleProfile({ dimension: 4, metric: 'dotproduct' });
export const HOUR_MS = 3_600_000;
export const BOUNDS: HistoryBounds = { msMax: 24 * HOUR_MS, diskPercentMax: 50 };
export const NAMESPACES = ['', 'n'];
export const IDS = Array.from({ length: 8 }, (_, i) => `r${i}`);
/** Other writes and crashes come between short steps. */
const TURNS = { take: (turn: () => boolean) => void setImmediate(turn), msMax: () => 0 };

/** What a namespace has; null where there is none. */
export type NamespaceState = { readonly records: readonly StoredRecord[]; readonly count: number } | null;

/** A random write, as numbers that choose what it does. */
export interface RandomWrite {
  readonly kind: 'upsert' | 'update' | 'deleteIds' | 'deleteByFilter' | 'deleteNamespace' | 'createNamespace';
  readonly namespace: string;
  readonly ids: readonly string[];
}

/** @param updateWeight how often records are updated; they are upserted with a weight of 6 */
export function randomWrite(updateWeight: number): fc.Arbitrary<RandomWrite> {
  return fc.record({
    kind: fc.oneof(
      { weight: 6, arbitrary: fc.constant('upsert' as const) },
      { weight: updateWeight, arbitrary: fc.constant('update' as const) },
      { weight: 3, arbitrary: fc.constant('deleteIds' as const) },
      { weight: 1, arbitrary: fc.constant('deleteByFilter' as const) },
      { weight: 1, arbitrary: fc.constant('deleteNamespace' as const) },
      { weight: 1, arbitrary: fc.constant('createNamespace' as const) },
    ),
    namespace: fc.constantFrom(...NAMESPACES),
    ids: fc.uniqueArray(fc.constantFrom(...IDS), { minLength: 1, maxLength: 5 }),
  });
}
/** Up to 14 of them. */
export const randomWrites = fc.array(randomWrite(2), { minLength: 1, maxLength: 14 });

export class HistoryFixture {
  now = Date.parse('2026-07-01T00:00:00Z');
  freeBytes = 2 ** 40;
  readonly folder: string;
  readonly #options: { readonly directRecordsMax?: number };
  readonly #records = new RandomRecords(PROFILE, 7);
  #index: InProcessIndex;

  /** @param directRecordsMax 0 to search in memory always; default as usual */
  constructor(
    test: Pick<TestContext, 'after'>,
    bounds: HistoryBounds | null = BOUNDS,
    directRecordsMax?: number,
  ) {
    this.#options = directRecordsMax === undefined ? {} : { directRecordsMax };
    this.folder = tempFolder(test);
    this.#index = this.#open(bounds);
  }

  get index(): InProcessIndex {
    return this.#index;
  }

  get history() {
    return this.#index.writer.history;
  }

  get lsn(): number {
    return this.#index.writer.lsn();
  }

  async reopen(bounds: HistoryBounds | null = BOUNDS): Promise<void> {
    await this.#index.close();
    this.#index = this.#open(bounds);
  }

  close(): Promise<void> {
    return this.#index.close();
  }

  /** Writes, and lets a second pass. A namespace that is missing, or there already, is no failure. */
  async write({ kind, namespace, ids }: RandomWrite): Promise<void> {
    const { writer } = this.#index;
    this.now += 1_000;
    const part = this.#records.random.integer(4);
    try {
      if (kind === 'upsert')
        await writer.upsert(
          namespace,
          ids.map((id) => this.#records.record(id)),
        );
      else if (kind === 'update')
        await writer.updateMany(
          namespace,
          ids.map((id) => ({ id, values: null, sparse: null, setMetadata: { part } })),
        );
      else if (kind === 'deleteIds') await writer.deleteIds(namespace, ids);
      else if (kind === 'deleteByFilter')
        await writer.deleteByFilter(namespace, where('part', { op: 'in', values: [part] }));
      else if (kind === 'deleteNamespace') await writer.deleteNamespace(namespace);
      else await writer.createNamespace(namespace, null);
    } catch (error) {
      if (!(error instanceof Error && /namespace/i.test(error.message))) throw error;
    }
  }

  async upsert(namespace: string, first: number, count: number): Promise<void> {
    this.now += 1_000;
    await this.#index.writer.upsert(namespace, this.#records.records(first, count));
  }

  /** Has a job fill a namespace and publish it, merged with one of its name. */
  async publish(namespace: string, ids: readonly string[]): Promise<void> {
    this.now += 1_000;
    const { staging, bulk } = this.#index.writer;
    await staging.stage('job', [{ name: namespace, schema: null }]);
    await bulk.store(
      stagedName('job', namespace),
      ids.map((id) => this.#records.record(id)),
    );
    await staging.publish('job');
  }

  /** A random query by vectors. */
  query(namespace: string): QueryRequest {
    return this.#records.query(namespace);
  }

  async state(namespace: string, ids = IDS): Promise<NamespaceState> {
    const summary = await this.#index.reader.describeNamespace(namespace);
    if (summary === null) return null;
    return { records: await this.#index.reader.fetch(namespace, ids), count: summary.recordCount };
  }

  /** Rolls a namespace back, in as many calls as it takes. */
  async rollBack(
    namespace: string,
    to: number,
    { begun = this.lsn, isNeeded = false } = {},
  ): Promise<RollBackProgress> {
    this.now += 1_000;
    const request = { key: `${to} ${begun}`, namespace, to, begun, isNeeded };
    const why = await this.history.whyLeft(request);
    for (;;) {
      const progress = await this.history.rollBack(request);
      if (!progress.isDone) continue;
      assert.equal(progress.left, why);
      return progress;
    }
  }

  #open(bounds: HistoryBounds | null): InProcessIndex {
    return openInProcess(PROFILE, this.folder, {
      ...this.#options,
      turns: TURNS,
      history: { bounds, now: () => this.now, freeBytes: () => this.freeBytes },
    });
  }
}
