// Creates, lists, compares, merges and drops branches of namespaces.
import type { ProjectAccess } from '../../domain/access.ts';
import { readAliases, servedNamespace } from '../../domain/aliases/alias-names.ts';
import type { AliasDirectory } from '../../domain/aliases/services.ts';
import type {
  BranchComparison,
  BranchRequest,
  ComparisonRequest,
  DifferenceCounts,
  Merge,
  NamespaceBranch,
  NamespaceBranches,
  OnConflict,
} from '../../domain/branches/services.ts';
import { embeddingSlots } from '../../domain/embedding/embedding-slots.ts';
import { refuseOtherVectors, refuseWhileRemade } from '../../domain/embedding/remade-vectors.ts';
import { type Fault, fault, invalid } from '../../domain/faults.ts';
import type { IndexLifecycle } from '../../domain/index-lifecycle.ts';
import { type Index, profileOf, storageIdOf } from '../../domain/index-model.ts';
import type { Inference } from '../../domain/inference/port.ts';
import { isActive } from '../../domain/jobs.ts';
import type { WriteAdmission } from '../../domain/write-admission.ts';
import type { Branch, IndexBranches, NewBranch } from '../../engine/port/index-branches.ts';
import type { NamespaceSummary } from '../../engine/port/reader-and-writer.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import { keptHistory, readyIndex } from '../history/kept-history.ts';
import { IndexJobStarter, type IndexJobStarterParts } from '../index-job-starter.ts';
import type { GrowthQuotas } from '../quotas/growth-quotas.ts';
import { compareBranch } from './compare-branch.ts';
import { expiryOf, MERGE_KIND, type MergeInput, mergeInputOf, mergeOf } from './merge-job.ts';

/** Records looked at by one call to the engine. */
const COUNTED_AT_ONCE = 2_000;
/** What writes of branches are admitted as. */
export const BRANCH_WRITE = 'create_branch';

export interface BranchServiceParts extends IndexJobStarterParts {
  readonly indexes: Pick<IndexLifecycle, 'describe'>;
  readonly engine: Pick<VectorStore, 'capabilities' | 'branches' | 'history' | 'reader' | 'writer'>;
  readonly aliases: AliasDirectory;
  /** Embeds queries by text. */
  readonly inference: Inference;
  readonly admission: WriteAdmission;
  /** Asked when a branch is made: the background makes it whole later, when nobody can be refused. */
  readonly quotas: Pick<GrowthQuotas, 'admitGrowth' | 'admitCopy'>;
}

interface Opened {
  readonly index: Index;
  readonly branches: IndexBranches;
}

export class BranchService implements NamespaceBranches {
  readonly #parts: BranchServiceParts;
  readonly #starter: IndexJobStarter;

  constructor(parts: BranchServiceParts) {
    this.#parts = parts;
    this.#starter = new IndexJobStarter(parts, MERGE_KIND);
  }

  async list(access: ProjectAccess, name: string): Promise<readonly NamespaceBranch[]> {
    const { branches } = await this.#open(access, name);
    return (await branches.list()).map(shown);
  }

  async create(access: ProjectAccess, name: string, request: BranchRequest): Promise<NamespaceBranch> {
    return this.#writing(access, name, (opened) => this.#create(access, opened, request));
  }

  async #create(
    access: ProjectAccess,
    { index, branches }: Opened,
    request: BranchRequest,
  ): Promise<NamespaceBranch> {
    refuseWhileRemade(index);
    const asOf = await this.#lsnOf(index, request.asOf);
    if (asOf !== null)
      for (const { embed } of embeddingSlots(index)) refuseOtherVectors(index, embed, { lsn: asOf });
    // A source that is missing is refused by the engine.
    const { recordCount = 0, sizeBytes = 0 } = (await this.#sourceOf(index, request)) ?? {};
    const size = { recordCount, sizeBytes };
    return this.#parts.quotas.admitCopy(access, size, () =>
      this.#make(access, { index, branches }, { ...request, asOf }),
    );
  }

  #sourceOf(index: Index, { source }: BranchRequest): Promise<NamespaceSummary | null> {
    const served = servedNamespace(this.#parts.aliases.shared(index.id), source);
    return this.#parts.engine.reader(profileOf(index)).describeNamespace(served);
  }

  async #make(
    access: ProjectAccess,
    { index, branches }: Opened,
    request: NewBranch,
  ): Promise<NamespaceBranch> {
    const { name, asOf } = request;
    // Right before the call: an alias that is made later waits for it.
    if (this.#parts.aliases.isAlias(index.id, name)) throw fault('name-in-use-by-alias', { name });
    const source = servedNamespace(this.#parts.aliases.shared(index.id), request.source);
    const branch = await branches.create({ source, name, asOf });
    try {
      // A re-embedding that has begun meanwhile may have passed the name already.
      refuseWhileRemade((await this.#open(access, index.name)).index);
    } catch (error) {
      await this.#parts.engine.writer(profileOf(index)).deleteNamespace(name);
      throw error;
    }
    return shown(branch);
  }

  async describe(access: ProjectAccess, name: string, branch: string): Promise<NamespaceBranch> {
    return shown(await this.#find(await this.#open(access, name), branch));
  }

  async drop(access: ProjectAccess, name: string, branch: string): Promise<void> {
    await this.#writing(access, name, (opened) => this.#drop(opened, branch));
  }

  async #drop(opened: Opened, branch: string): Promise<void> {
    await this.#find(opened, branch);
    const aliases = this.#parts.aliases.shared(opened.index.id);
    if (aliases !== undefined && readAliases(aliases).isTarget(branch))
      throw invalid(`an alias leads to '${branch}': repoint or delete it first`);
    await this.#parts.engine.writer(profileOf(opened.index)).deleteNamespace(branch);
  }

  async differences(
    access: ProjectAccess,
    name: string,
    page: { readonly branch: string; readonly after: string | null; readonly limit: number },
  ) {
    const opened = await this.#open(access, name);
    return opened.branches.differences({ ...page, expiry: expiryOf(opened.index) });
  }

  async countDifferences(access: ProjectAccess, name: string, branch: string): Promise<DifferenceCounts> {
    return count(await this.#open(access, name), branch);
  }

  async compare(
    access: ProjectAccess,
    name: string,
    { branch, ...request }: ComparisonRequest & { readonly branch: string },
  ): Promise<BranchComparison> {
    const opened = await this.#open(access, name);
    const { source, state } = await this.#find(opened, branch);
    if (state === 'detached') throw sourceDeleted(source, branch);
    const { engine, inference } = this.#parts;
    const { index } = opened;
    const reader = engine.reader(profileOf(index));
    // Nothing tells a request of the control plane that its client has gone.
    const { signal } = new AbortController();
    return compareBranch({ reader, index, source, branch, inference, signal }, request);
  }

  async merge(
    access: ProjectAccess,
    name: string,
    { branch, onConflict }: { readonly branch: string; readonly onConflict: OnConflict },
  ): Promise<Merge> {
    const opened = await this.#open(access, name);
    const { index } = opened;
    const { source, state, createdMs } = await this.#find(opened, branch);
    if (state === 'detached') throw sourceDeleted(source, branch);
    const latest = await this.#starter.latest(index, branch);
    const isUnderWay = latest !== undefined && isActive(latest);
    // A repeated request is answered by the merge that is under way, which a re-embedding waits for.
    if (!isUnderWay) {
      refuseWhileRemade(index);
      await this.#parts.quotas.admitGrowth(access);
    }
    if (onConflict === 'fail' && !isUnderWay) {
      const { conflicts } = await count(opened, branch);
      if (conflicts > 0) throw fault('branch-conflicts', { count: conflicts, branch });
    }
    const begunLsn = await this.#parts.engine.reader(profileOf(index)).lsn();
    const input: MergeInput = { branch, createdMs, onConflict, begunLsn, storageId: storageIdOf(index) };
    const job = await this.#starter.start(index, { subject: branch, input });
    const known = mergeInputOf(job);
    const isSameBranch = known.createdMs === undefined || known.createdMs === createdMs;
    if (known.onConflict !== onConflict || !isSameBranch)
      throw invalid(`another merge of '${branch}' is under way; wait for its end`);
    return mergeOf(job);
  }

  async latestMerge(access: ProjectAccess, name: string, branch: string): Promise<Merge> {
    const index = await this.#parts.indexes.describe(access, name);
    const latest = await this.#starter.latest(index, branch);
    if (latest === undefined) throw fault('merge-not-found', { branch });
    return mergeOf(latest);
  }

  /** Writes go to the storage that answers once they are admitted. */
  async #writing<Result>(
    access: ProjectAccess,
    name: string,
    work: (opened: Opened) => Promise<Result>,
  ): Promise<Result> {
    const { index } = await this.#open(access, name);
    const leave = await this.#parts.admission.enter(index.id, BRANCH_WRITE);
    try {
      return await work(await this.#open(access, name));
    } finally {
      leave?.();
    }
  }

  async #open(access: ProjectAccess, name: string): Promise<Opened> {
    const { indexes, engine } = this.#parts;
    const index = await readyIndex(indexes, access, name);
    if (!engine.capabilities.branches) throw invalid('this server has no branches of namespaces');
    return { index, branches: engine.branches(profileOf(index)) };
  }

  /** @throws branch-not-found */
  async #find({ branches }: Opened, name: string): Promise<Branch> {
    const found = (await branches.list()).find((branch) => branch.name === name);
    if (found === undefined) throw fault('branch-not-found', { name });
    return found;
  }

  /** @throws invalid-argument */
  async #lsnOf(index: Index, asOf: BranchRequest['asOf']): Promise<number | null> {
    if (asOf === null) return null;
    if ('lsn' in asOf) return asOf.lsn;
    const kept = await keptHistory(this.#parts.engine, index);
    if (kept === null) throw invalid('this server keeps no history of the index');
    if (asOf.ms > Date.now()) throw invalid('as_of_time is in the future');
    const lsn = await kept.history.lsnAt(asOf.ms);
    if (lsn !== null) return lsn;
    const from = new Date(kept.window.fromMs).toISOString();
    throw invalid(`as_of_time must be ${from} or later: the history begins there`);
  }
}

async function count({ index, branches }: Opened, branch: string): Promise<DifferenceCounts> {
  const expiry = expiryOf(index);
  const inBranch = { added: 0, changed: 0, deleted: 0 };
  const inSource = { added: 0, changed: 0, deleted: 0 };
  let conflicts = 0;
  for (let after: string | null = null; ; ) {
    const page = await branches.differences({ branch, after, limit: COUNTED_AT_ONCE, expiry });
    for (const difference of page.differences) {
      if (difference.inBranch !== null) inBranch[difference.inBranch]++;
      if (difference.inSource !== null) inSource[difference.inSource]++;
      if (difference.inBranch !== null && difference.inSource !== null) conflicts++;
    }
    if (page.next === null) return { inBranch, inSource, conflicts };
    after = page.next;
  }
}

function sourceDeleted(source: string, branch: string): Fault {
  return invalid(`namespace '${source}', which '${branch}' is a branch of, was deleted`);
}

function shown({ createdMs, isShared: _, ...branch }: Branch): NamespaceBranch {
  return { ...branch, createdAt: new Date(createdMs).toISOString() };
}
