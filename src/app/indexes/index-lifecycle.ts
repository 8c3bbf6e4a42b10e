// The lifecycle of indexes on one server: every step survives a crash, since the catalog records what is left to do.
import type { ForeignChanges, NodeChanges } from '../../catalog/port.ts';
import type { ProjectAccess } from '../../domain/access.ts';
import { fault } from '../../domain/faults.ts';
import { newId } from '../../domain/ids.ts';
import { changedIndex, isSettled, settled } from '../../domain/index-change.ts';
import type { IndexChange, IndexDirectory, IndexLifecycle, NewIndex } from '../../domain/index-lifecycle.ts';
import type { Index } from '../../domain/index-model.ts';
import type { OfferedRegions } from '../../domain/regions.ts';
import { DelayedWork } from '../../platform/delayed-work.ts';
import { KeyedQueue } from '../../platform/keyed-queue.ts';
import type { IndexHosts } from './index-hosts.ts';
import { IndexResources, type IndexResourcesParts, isPortTaken } from './index-resources.ts';

/** How long a change of capacity or pods is shown as in progress. */
const TRANSITION_MILLISECONDS = 500;
/** Pause before failed background work is retried. */
const RETRY_MILLISECONDS = 1_000;
/** A node takes milliseconds to create or to delete an index. */
const TAKEOVER_MILLISECONDS = 30_000;

export interface IndexLifecycleOptions extends IndexResourcesParts {
  readonly regions?: OfferedRegions;
  /** Called with background failures, such as a deletion that will be retried. */
  readonly onFailure?: (error: unknown) => void;
  readonly transitionMilliseconds?: number;
  readonly retryMilliseconds?: number;
  /** Tells what other nodes change, who share the indexes; null where there are none, as by default. */
  readonly changes?: Pick<NodeChanges, 'listen'> | null;
  /** Tells of changes of this node, where it is alone, that may have happened although they failed. */
  readonly foreign?: ForeignChanges;
  /** This node's id, where each has records of its own: it creates indexes of its own, and ends no work on those of others. */
  readonly nodeId?: string | null;
  /** How long a node leaves work on an index to the node that began it. */
  readonly takeoverMilliseconds?: number;
  /** Indexes in Initializing that are still being filled, unlike those that a crash left. */
  readonly beingFilled?: ReadonlySet<string>;
  /** Ends all work on an index before its storage is deleted. */
  readonly endWork?: (indexId: string) => Promise<void>;
  /** Called with the number of indexes that a project has before it gets another one. @throws quota-exceeded */
  readonly admitIndex?: (projectId: string, indexes: number) => void;
}

/** Creates indexes that get their records before they are ready. */
export interface IndexProvisioner {
  /** Stores the index in Initializing, without storage; the caller must complete it. @throws as `create` */
  provision(access: ProjectAccess, requested: NewIndex): Promise<Index>;
  byId(id: string): Index | undefined;
  /** Marks the index as filled. No effect while it is being deleted. */
  ready(id: string): Promise<void>;
  /** Gives up on the index: only its name stays, in InitializationFailed. No effect while it is being deleted. */
  fail(id: string): Promise<void>;
  /** Removes an index that no caller has seen. */
  abandon(id: string): Promise<void>;
}

export interface OpenIndexLifecycle extends IndexLifecycle, IndexProvisioner {
  readonly directory: IndexDirectory & { all(): readonly Index[] };
  /** Opens every port and resumes what a crash interrupted. @throws IndexPortsTaken */
  start(): Promise<void>;
  /** Waits for running work. The next start resumes planned work. */
  close(): Promise<void>;
}

/** Other processes use ports of indexes. Clients know these ports, so no others can replace them. */
export class IndexPortsTaken extends Error {
  constructor(indexes: readonly Index[]) {
    const taken = indexes.map(({ name, port }) => `${port} (index ${name})`).join(', ');
    super(`Another process listens on ports of this server's indexes: ${taken}. Stop it, then start again.`);
    this.name = 'IndexPortsTaken';
  }
}

/** Reads every index into memory. Serves nothing until `start`. */
export async function openIndexLifecycle(options: IndexLifecycleOptions): Promise<OpenIndexLifecycle> {
  return new Lifecycle(options, await IndexResources.load(options));
}

class Lifecycle implements OpenIndexLifecycle {
  readonly regions: OfferedRegions;
  readonly hostOf: IndexHosts;
  readonly directory: OpenIndexLifecycle['directory'];
  readonly #store: IndexResources;
  /** One change of an index at a time. */
  readonly #changes = new KeyedQueue();
  readonly #later: DelayedWork;
  readonly #transitionMilliseconds: number;
  readonly #beingFilled: ReadonlySet<string>;
  readonly #endWork: (indexId: string) => Promise<void>;
  readonly #admitIndex: (projectId: string, indexes: number) => void;
  readonly #isShared: boolean;
  readonly #nodeId: string | null;
  readonly #takeoverMilliseconds: number;

  constructor(options: IndexLifecycleOptions, store: IndexResources) {
    this.regions = options.regions ?? null;
    this.hostOf = options.hosts;
    this.directory = store.registry;
    this.#store = store;
    this.#transitionMilliseconds = options.transitionMilliseconds ?? TRANSITION_MILLISECONDS;
    this.#beingFilled = options.beingFilled ?? new Set();
    this.#endWork = options.endWork ?? (() => Promise.resolve());
    this.#admitIndex = options.admitIndex ?? (() => undefined);
    this.#nodeId = options.nodeId ?? null;
    this.#isShared = (options.changes ?? null) !== null;
    if (this.#isShared) options.changes?.listen('indexes', () => this.#refresh());
    else options.foreign?.listen('indexes', () => this.#reread());
    this.#takeoverMilliseconds = options.takeoverMilliseconds ?? TAKEOVER_MILLISECONDS;
    this.#later = new DelayedWork({
      retryMilliseconds: options.retryMilliseconds ?? RETRY_MILLISECONDS,
      onFailure: options.onFailure ?? (() => undefined),
    });
  }

  /** Takes over what other nodes have changed, and plans to end what one of them may leave. */
  async #refresh(): Promise<void> {
    await this.#store.refresh();
    for (const index of this.#store.registry.all()) {
      const key = takeoverKey(index.id);
      const isLeft = this.#isOwn(index) && (isLeftover(index) || !isSettled(index));
      if (!isLeft) this.#later.cancel(key);
      // Whatever else changes meanwhile does not put it off.
      else if (!this.#later.isPlanned(key)) this.#takeOverLater(index.id);
    }
  }

  /** Each in its turn: what a change has begun without an answer is ended as if it had one. */
  async #reread(): Promise<void> {
    for (const { id } of this.#store.registry.all()) {
      const index = await this.#changes.run(id, () => this.#store.update(id, (stored) => stored));
      if (index === null) continue;
      if (index.state === 'Terminating') this.#discardLater(id);
      // A creation that fails is ended by its own attempts.
      else if (!isLeftover(index)) this.#settleLater(index);
    }
  }

  #isOwn({ placement }: Index): boolean {
    return (placement?.nodeId ?? null) === this.#nodeId;
  }

  async start(): Promise<void> {
    if (this.#isShared) return this.#refresh();
    const taken: Index[] = [];
    for (const index of this.#store.registry.all()) {
      const isFilled = index.state === 'Initializing' && this.#beingFilled.has(index.id);
      if (isLeftover(index) && !isFilled) {
        if (index.state === 'Terminating') await this.#opens(index);
        this.#discardLater(index.id);
      } else {
        if (!(await this.#opens(index))) taken.push(index);
        else await this.#store.describe(index);
        this.#settleLater(index);
      }
    }
    if (taken.length > 0) throw new IndexPortsTaken(taken);
    await this.#store.openRetired();
  }

  async close(): Promise<void> {
    await this.#changes.idle();
    await this.#later.stop();
  }

  create(access: ProjectAccess, requested: NewIndex): Promise<Index> {
    return this.#make(access, requested, (id) => this.#store.build(id));
  }

  provision(access: ProjectAccess, requested: NewIndex): Promise<Index> {
    return this.#make(access, requested, (id) => this.#store.insert(id));
  }

  byId(id: string): Index | undefined {
    return this.#store.registry.get(id);
  }

  async ready(id: string): Promise<void> {
    await this.#changes.run(id, async () => {
      await this.#store.update(id, (index) =>
        index.state === 'Initializing' ? { ...index, state: 'Ready' } : index,
      );
    });
  }

  async fail(id: string): Promise<void> {
    await this.#changes.run(id, async () => {
      if (this.#store.registry.get(id)?.state !== 'Initializing') return;
      await this.#store.empty(id);
      await this.#store.update(id, (index) =>
        index.state === 'Initializing' ? { ...index, state: 'InitializationFailed' } : index,
      );
    });
  }

  async abandon(id: string): Promise<void> {
    await this.#changes.run(id, () => this.#discard(id)).catch(() => this.#discardLater(id));
  }

  async list({ projectId }: ProjectAccess): Promise<readonly Index[]> {
    const own = this.#store.registry.all().filter((index) => index.projectId === projectId);
    return own.sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  async describe(access: ProjectAccess, name: string): Promise<Index> {
    return this.#visible(access, name);
  }

  async configure(access: ProjectAccess, name: string, change: IndexChange): Promise<Index> {
    const { id } = this.#visible(access, name);
    return this.#changes.run(id, async () => {
      const changed = await this.#store.update(id, (index) => {
        if (index.state === 'Terminating') throw fault('index-not-found', { name });
        if (isUnfilled(index)) throw fault('index-not-ready', { name });
        return changedIndex(index, change);
      });
      if (changed === null) throw fault('index-not-found', { name });
      if (this.#isOwn(changed)) this.#settleLater(changed);
      return changed;
    });
  }

  async remove(access: ProjectAccess, name: string): Promise<void> {
    const { id } = this.#visible(access, name);
    await this.#changes.run(id, async () => {
      // A repeated request, for example after a lost reply: the deletion is already running.
      let isRunning = this.#store.registry.get(id)?.state === 'Terminating';
      const admit = (index: Index) => {
        const hasBegun = index.state === 'Terminating' && this.#isOwn(index);
        isRunning &&= hasBegun;
        // What could not be filled holds nothing to protect, and can no longer be configured.
        const isProtected = index.deletionProtection === 'enabled' && index.state !== 'InitializationFailed';
        if (!hasBegun && isProtected) throw fault('deletion-protected');
        return !hasBegun;
      };
      const retired = await this.#store.take((indexes) => indexes.retire(id, admit));
      if (retired === null) throw fault('index-not-found', { name });
      if (!isRunning) this.#discardLater(id);
    });
  }

  /** The only method that decides whether a caller may see an index. @throws index-not-found */
  #visible({ projectId }: ProjectAccess, name: string): Index {
    const index = this.#store.registry.byName(projectId, name);
    if (index === undefined) throw fault('index-not-found', { name });
    return index;
  }

  async #make(
    { projectId }: ProjectAccess,
    requested: NewIndex,
    build: (id: string) => Promise<Index>,
  ): Promise<Index> {
    const { registry } = this.#store;
    if (registry.byName(projectId, requested.name) !== undefined) throw fault('name-taken');
    const id = newId();
    const createdAt = new Date().toISOString();
    const own = registry
      .all()
      .filter((index) => index.projectId === projectId && index.state !== 'Terminating');
    this.#admitIndex(projectId, own.length);
    // No await since the look-up: of concurrent calls, one takes the name.
    const placement = this.#nodeId === null ? {} : { placement: { nodeId: this.#nodeId, epoch: 1 } };
    const made = { id, projectId, ...requested, ...placement };
    this.#store.reserve({ ...made, state: 'Initializing', port: null, createdAt });
    return this.#changes.run(id, async () => {
      try {
        return await build(id);
      } catch (error) {
        await this.#discard(id).catch(() => this.#discardLater(id));
        throw error;
      }
    });
  }

  /** False when another process uses the port. */
  async #opens(index: Index): Promise<boolean> {
    try {
      await this.#store.open(index);
      return true;
    } catch (error) {
      if (isPortTaken(error)) return false;
      throw error;
    }
  }

  async #discard(id: string): Promise<void> {
    const index = this.#store.registry.get(id);
    if (index !== undefined) await this.#store.discard(index);
  }

  #discardLater(id: string): void {
    this.#later.plan(id, 0, async () => {
      // Outside the queue of changes: the ending work may have to make a last one.
      await this.#endWork(id);
      await this.#changes.run(id, () => this.#discard(id));
    });
  }

  #takeOverLater(id: string): void {
    this.#later.plan(takeoverKey(id), this.#takeoverMilliseconds, () =>
      this.#changes.run(id, () => this.#takeOver(id)),
    );
  }

  /** What the node has not ended that began it, unless it is ended, or goes on, by now. Safe to do twice. */
  async #takeOver(id: string): Promise<void> {
    const index = await this.#store.take((indexes) => indexes.endUnfilled(id));
    if (index === null) return;
    if (index.state === 'Initializing') this.#takeOverLater(id);
    else if (index.state === 'Terminating') this.#discardLater(id);
    else await this.#settle(id);
  }

  #settleLater(index: Index): void {
    if (isSettled(index)) return;
    this.#later.plan(index.id, this.#transitionMilliseconds, () =>
      this.#changes.run(index.id, () => this.#settle(index.id)),
    );
  }

  async #settle(id: string): Promise<void> {
    await this.#store.update(id, (index) => (isLeftover(index) || isSettled(index) ? index : settled(index)));
  }
}

function takeoverKey(indexId: string): string {
  return `left ${indexId}`;
}

/** True while the index has no records yet or has failed to get them. */
function isUnfilled({ state }: Index): boolean {
  return state === 'Initializing' || state === 'InitializationFailed';
}

/**
 * True for an index to remove when no change of it is running: no caller has seen one in
 * Initializing, so its creator may try again.
 */
function isLeftover({ state }: Index): boolean {
  return state === 'Initializing' || state === 'Terminating';
}
