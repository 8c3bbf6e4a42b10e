// What an index's writer does about branches: it creates, compares and merges them, and makes them whole where sharing costs
// more than it saves.
import type { BranchSources } from '../../../../domain/expiry/time-to-live.ts';
import type { BranchFigures } from '../../../port/engine-metrics.ts';
import type {
  Branch,
  DifferencesPage,
  DifferencesRequest,
  IndexBranches,
  MergeProgress,
  MergeRequest,
  NewBranch,
  WholeProgress,
} from '../../../port/index-branches.ts';
import { VisibleRecords } from '../../storage/branches/visible-records.ts';
import { readingRows } from '../../storage/checked-rows.ts';
import type { IndexFiles } from '../../storage/index-files.ts';
import { shownBy } from '../../storage/namespace-table.ts';
import type { LongOperation } from '../commit-queue.ts';
import type { HistoryKeeper } from '../history/history-keeper.ts';
import type { WriteTransaction } from '../write-transaction.ts';
import { BranchCopy } from './branch-copy.ts';
import { branchOf, differencesIn, findBranch, findMergeable } from './branch-differences.ts';
import { BranchMerge } from './branch-merge.ts';
import type { BranchNodes } from './branch-nodes.ts';
import { createBranch } from './create-branch.ts';

/** How long one call of a merge works. */
const MERGE_MS = 500;
/** How long one part of a copy works: others that change much wait for it. */
const COPY_MS = 100;
const COPY_PAUSE_MS = 20;
/** After so long without its next part, a merge or copy keeps no index open. */
const ABANDONED_MS = 60_000;
/** After a failure: a full disk stays full for a while. */
const RETRY_MS = 5_000;
/** How long after a write a branch may be found to share too little. */
const CHECK_MS = 1_000;
/**
 * A branch with this share of records of its own becomes whole: each search looks at both parts, and counts, filters and
 * texts at each record on disk.
 */
export const OWN_SHARE_MAX = 0.25;
/** Below, sharing costs next to nothing. */
const OWN_RECORDS_MIN = 1_000;

export interface BranchAccessParts extends IndexFiles {
  readonly nodes: BranchNodes;
  /** Runs steps in a transaction; resolves when they are durable. */
  readonly submit: (steps: (txn: WriteTransaction) => void) => Promise<void>;
  readonly submitLong: <Result>(operation: LongOperation<Result>) => Promise<{ readonly result: Result }>;
  /** Starts the clock of a turn; the returned function tells whether it is over. */
  readonly startTurn: () => () => boolean;
  readonly keeper: Pick<HistoryKeeper, 'reach' | 'now'>;
}

export class BranchAccess implements IndexBranches {
  readonly #parts: BranchAccessParts;
  /** The merges under way by the numbers of their branches' marks: each keeps its position between calls. */
  readonly #merges = new Map<number, { readonly key: string; readonly work: BranchMerge }>();
  readonly #copies = new Map<string, BranchCopy>();
  /** When a part of a merge or copy was begun last. */
  #workedAt = 0;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;
  /** Branches that could not be made whole since all others were looked at. */
  readonly #failed = new Set<string>();

  constructor(parts: BranchAccessParts) {
    this.#parts = parts;
    this.wake();
  }

  async create(request: NewBranch): Promise<Branch> {
    const { keeper, submit } = this.#parts;
    await submit((txn) =>
      createBranch(txn, request, { fromSeq: keeper.reach().fromSeq, nowMs: keeper.now() }),
    );
    return this.#describe(request.name);
  }

  async list(): Promise<readonly Branch[]> {
    const { store } = this.#parts;
    store.refresh();
    const branches = [...store.branches.nodes()].flatMap(([namespaceId, node]) => {
      const row = store.namespaces.get(node.name);
      return node.isDropped || row?.namespaceId !== namespaceId ? [] : [branchOf(node.name, row, node)];
    });
    return branches.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Of all branches that have theirs still. */
  sources(): BranchSources {
    const attached = [...this.#parts.nodes.all.values()].filter((node) => node.hasSource && !node.isDropped);
    return new Map(attached.map(({ name, source }) => [name, source]));
  }

  /** For monitoring. */
  figures(): BranchFigures {
    const { nodes, store } = this.#parts;
    const figures = { count: 0, ownRecords: 0, ownBytes: 0, sharedRecords: 0, sharedBytes: 0 };
    for (const [namespaceId, { name, isDropped }] of nodes.all) {
      const row = isDropped ? null : store.namespaces.get(name);
      if (row?.namespaceId !== namespaceId) continue;
      const { recordCount, sizeBytes, inherited } = row;
      figures.count++;
      figures.ownRecords += recordCount;
      figures.ownBytes += sizeBytes;
      figures.sharedRecords += inherited?.records ?? 0;
      figures.sharedBytes += inherited?.bytes ?? 0;
    }
    return figures;
  }

  async differences(request: DifferencesRequest): Promise<DifferencesPage> {
    const { store, rowFile } = this.#parts;
    store.refresh();
    const visible = new VisibleRecords(store);
    const valuesOf = (row: number) => rowFile && readingRows(store.records, () => rowFile.readRow(row));
    return differencesIn({ store, visible, valuesOf }, request);
  }

  /** @param msMax how long it works, one step at least */
  async merge(request: MergeRequest, msMax = MERGE_MS): Promise<MergeProgress> {
    const { store, startTurn } = this.#parts;
    store.refresh();
    const { branchId } = findMergeable(store, request).node;
    const { key } = request;
    const known = this.#merges.get(branchId);
    const work = known?.key === key ? known.work : new BranchMerge(request, startTurn);
    this.#merges.set(branchId, { key, work });
    this.#workedAt = performance.now();
    let isDone = true;
    try {
      const { result } = await this.#parts.submitLong(work.part(msMax));
      isDone = result.isDone;
      return result;
    } finally {
      if (isDone && this.#merges.get(branchId)?.work === work) this.#merges.delete(branchId);
    }
  }

  /** @param msMax how long it works, one step at least */
  async makeWhole(name: string, msMax = COPY_MS): Promise<WholeProgress> {
    const { store, startTurn } = this.#parts;
    store.refresh();
    const { node } = findBranch(store, name);
    const key = `${node.branchId}`;
    const work = this.#copies.get(key) ?? new BranchCopy(name, startTurn);
    this.#copies.set(key, work);
    this.#workedAt = performance.now();
    let isDone = true;
    try {
      const { result } = await this.#parts.submitLong(work.part(msMax));
      isDone = result.isDone;
      return result;
    } finally {
      if (isDone) this.#copies.delete(key);
    }
  }

  /** Looks soon for branches to make whole. Call when something was written. */
  wake(): void {
    if (this.#parts.nodes.all.size > 0) this.#checkIn(CHECK_MS);
  }

  /** True while branches are being merged or made whole, or looked at for that. */
  get isBusy(): boolean {
    const isWorking = this.#merges.size > 0 || this.#copies.size > 0;
    return this.#timer !== null || (isWorking && performance.now() - this.#workedAt < ABANDONED_MS);
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #describe(name: string): Branch {
    const { store } = this.#parts;
    store.refresh();
    const { node } = findBranch(store, name);
    const row = store.namespaces.get(name);
    if (row === null) throw new Error('a branch has no namespace');
    return branchOf(name, row, node);
  }

  #checkIn(ms: number): void {
    if (this.#timer !== null || this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#check(), ms).unref();
  }

  async #check(): Promise<void> {
    const name = this.#tooUnlike();
    let waitMs: number | null = null;
    if (name !== null) {
      waitMs = COPY_PAUSE_MS;
      try {
        await this.makeWhole(name);
      } catch {
        // A full disk, most likely, or the branch was deleted meanwhile. Others have their turn before it has another one.
        this.#failed.add(name);
      }
    } else if (this.#failed.size > 0) {
      this.#failed.clear();
      waitMs = RETRY_MS;
    }
    this.#timer = null;
    if (waitMs !== null) this.#checkIn(waitMs);
  }

  /** The first branch that shares little, or whose source was deleted, and that has not failed in this round. */
  #tooUnlike(): string | null {
    const { nodes, store } = this.#parts;
    store.refresh();
    for (const [namespaceId, { name, isWhole, isDropped, hasSource }] of nodes.all) {
      if (isWhole || isDropped || this.#failed.has(name)) continue;
      const row = store.namespaces.get(name);
      if (row?.namespaceId !== namespaceId) continue;
      const share = row.recordCount / Math.max(1, shownBy(row).records);
      if (!hasSource || (row.recordCount >= OWN_RECORDS_MIN && share > OWN_SHARE_MAX)) return name;
    }
    return null;
  }
}
