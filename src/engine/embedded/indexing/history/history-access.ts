// What an index's writer tells of its history, and the way back to a moment in it.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { invalid } from '../../../../domain/faults.ts';
import type { HistoryFigures } from '../../../port/engine-metrics.ts';
import type {
  FeedPage,
  FeedRequest,
  HistoryEntry,
  HistoryPage,
  HistoryPageRequest,
  HistoryWindow,
  IndexHistory,
  LeftReason,
  RollBackProgress,
  RollBackRequest,
} from '../../../port/index-history.ts';
import type { BatchPosition, HistoryBatch } from '../../storage/history/history-table.ts';
import { seqAt } from '../../storage/history/writes-by-time.ts';
import type { IndexFiles } from '../../storage/index-files.ts';
import type { LongOperation } from '../commit-queue.ts';
import { feedPage } from './feed.ts';
import type { HistoryKeeper } from './history-keeper.ts';
import { RollBack } from './roll-back.ts';

/** Batches looked at for one page. */
const BATCHES_A_PAGE_MAX = 20_000;
/** How long one call of a rollback works. */
const ROLL_BACK_MS = 500;

export interface HistoryAccessParts extends IndexFiles {
  readonly keeper: HistoryKeeper;
  readonly submit: <Result>(
    operation: LongOperation<Result>,
  ) => Promise<{ readonly seq: number; readonly result: Result }>;
  /** Starts the clock of a turn; the returned function tells whether it is over. */
  readonly startTurn: () => () => boolean;
}

export class HistoryAccess implements IndexHistory {
  readonly #parts: HistoryAccessParts;
  /** The rollback under way, which keeps its position between calls. */
  #rollBack: { readonly key: string; readonly work: RollBack } | null = null;

  constructor(parts: HistoryAccessParts) {
    this.#parts = parts;
  }

  async describe(): Promise<HistoryWindow | null> {
    const { keeper, store } = this.#parts;
    if (!keeper.isOn) return null;
    store.refresh();
    const { toSeq, bytes, changes } = keeper.state();
    const { fromSeq, fromMs } = keeper.reach();
    return { fromLsn: fromSeq, fromMs, toLsn: toSeq, bytes, changes };
  }

  /** For monitoring; null where no history is kept. */
  figures(): HistoryFigures | null {
    const { keeper } = this.#parts;
    if (!keeper.isOn) return null;
    const { bytes, fromMs } = keeper.state();
    return { bytes, from: fromMs / 1_000 };
  }

  async list({ namespace, before, limit }: HistoryPageRequest): Promise<HistoryPage> {
    const { keeper, store } = this.#parts;
    if (!keeper.isOn) return { entries: [], next: null };
    store.refresh();
    const { toSeq } = keeper.state();
    const { fromSeq } = keeper.reach();
    const entries = new Map<string, HistoryEntry>();
    const pageTo = (next: number | null): HistoryPage => ({ entries: [...entries.values()], next });
    let looked = 0;
    const visit = ({ seq, header }: Pick<HistoryBatch, 'seq' | 'header'>): HistoryPage | null => {
      if (seq <= fromSeq) return pageTo(null);
      if (++looked > BATCHES_A_PAGE_MAX) return pageTo(seq + 1);
      if (namespace !== null && header.namespace !== namespace) return null;
      const { kind, cause, operation, ms, count } = header;
      const key = `${operation} ${kind} ${header.namespace}`;
      const known = entries.get(key);
      if (known === undefined && entries.size === limit) return pageTo(seq + 1);
      entries.set(key, {
        ...{ lsn: operation, ms: known?.ms ?? ms, namespace: header.namespace, kind, cause },
        records: count + (known?.records ?? 0),
      });
      return null;
    };
    // No later: keys hold 48 bits, callers may name any number.
    const seq = Math.min(before ?? Number.POSITIVE_INFINITY, toSeq + 1);
    const start = { seq, part: 0, namespaceId: 0 };
    return (await this.#visitLatest(start, visit)) ?? pageTo(null);
  }

  /** Visits the latest batches first until one has a result. Other work of the thread comes between turns. */
  async #visitLatest<Result>(
    start: BatchPosition,
    visit: (batch: Pick<HistoryBatch, 'seq' | 'header'>) => Result | null,
  ): Promise<Result | null> {
    const { store, startTurn } = this.#parts;
    for (let from: BatchPosition | null = start; from !== null; await nextTurn()) {
      const isOver = startTurn();
      const batches = store.history.latest(from);
      from = null;
      for (const batch of batches) {
        const result = visit(batch);
        if (result !== null) return result;
        if (!isOver()) continue;
        from = batch;
        break;
      }
    }
    return null;
  }

  async feed(request: FeedRequest): Promise<FeedPage> {
    const { keeper, store } = this.#parts;
    if (!keeper.isOn) throw invalid('the index has no history');
    store.refresh();
    const { toSeq } = keeper.state();
    return feedPage(store.history, { ...keeper.reach(), toSeq }, request);
  }

  async lsnAt(ms: number): Promise<number | null> {
    const { keeper, store } = this.#parts;
    if (!keeper.isOn) return null;
    store.refresh();
    const { fromMs, fromSeq } = keeper.reach();
    if (ms < fromMs) return null;
    return Math.max(seqAt(store.history, ms, keeper.now()) ?? 0, fromSeq);
  }

  async changedNamespaces(after: number, upTo: number): Promise<readonly string[]> {
    this.#parts.store.refresh();
    return this.#parts.store.history.names({ after, upTo });
  }

  async whyLeft(request: RollBackRequest): Promise<LeftReason | null> {
    this.#requireReach(request);
    const { result } = await this.#parts.submit(new RollBack(this.#parts, request).whyLeft());
    return result;
  }

  /** @param msMax how long it works, one step at least */
  async rollBack(request: RollBackRequest, msMax = ROLL_BACK_MS): Promise<RollBackProgress> {
    const { keeper, submit } = this.#parts;
    this.#requireReach(request);
    const key = `${request.key} ${request.namespace}`;
    const work = this.#rollBack?.key === key ? this.#rollBack.work : new RollBack(this.#parts, request);
    this.#rollBack = { key, work };
    keeper.pin(request.to);
    let isDone = true;
    try {
      const { result } = await submit(work.part(msMax));
      isDone = result.isDone;
      return result;
    } finally {
      if (isDone) this.#rollBack = null;
    }
  }

  /** A rollback that has begun within the window goes on, as long as its history is there. */
  #requireReach({ to }: RollBackRequest): void {
    const { keeper, store } = this.#parts;
    store.refresh();
    if (!keeper.isOn || to < keeper.state().fromSeq)
      throw invalid(`the history of the index no longer reaches back to write ${to}`);
  }
}
