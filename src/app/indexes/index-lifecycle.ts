// The lifecycle of indexes on one server: every step survives a crash, since the catalog says what is left to do.
import type { ProjectAccess } from '../../domain/access.ts';
import { fault } from '../../domain/faults.ts';
import { newId } from '../../domain/ids.ts';
import { changedIndex, isSettled, settled } from '../../domain/index-change.ts';
import type { IndexChange, IndexDirectory, IndexLifecycle, NewIndex } from '../../domain/index-lifecycle.ts';
import type { Index, IndexProfile } from '../../domain/index-model.ts';
import { DEFAULT_REGIONS, type Region } from '../../domain/regions.ts';
import { DelayedWork } from '../../platform/delayed-work.ts';
import { KeyedQueue } from '../../platform/keyed-queue.ts';
import type { IndexHosts } from './index-hosts.ts';
import { IndexResources, type IndexResourcesParts, isPortTaken } from './index-resources.ts';

/** How long a change of capacity or pods is shown as under way. */
const TRANSITION_MILLISECONDS = 500;
/** Pause before work that failed behind a request is tried again. */
const RETRY_MILLISECONDS = 1_000;

export interface IndexLifecycleOptions extends IndexResourcesParts {
  readonly regions?: readonly Region[];
  /** Told of failures behind a request, such as a deletion that has to be tried again. */
  readonly onFailure?: (error: unknown) => void;
  readonly transitionMilliseconds?: number;
  readonly retryMilliseconds?: number;
  /** Indexes in Initializing that are being filled still, and not what a crash has left. */
  readonly beingFilled?: ReadonlySet<string>;
  /** Ends all work on an index, before its storage goes. */
  readonly endWork?: (indexId: string) => Promise<void>;
}

/** For indexes that get their records before they are ready. */
export interface IndexProvisioner {
  /** The index in Initializing, without storage: whoever asks sees to it that it gets further. @throws as `create` */
  provision(access: ProjectAccess, requested: NewIndex): Promise<Index>;
  byId(id: string): Index | undefined;
  /** Its storage is there and whole. No effect on one that is being deleted. */
  ready(id: string): Promise<void>;
  /** It will not get its records: only its name stays, in InitializationFailed. No effect on one that is being deleted. */
  fail(id: string): Promise<void>;
  /** Takes it back whole, when nobody was told of it. */
  abandon(id: string): Promise<void>;
}

export interface OpenIndexLifecycle extends IndexLifecycle, IndexDirectory, IndexProvisioner {
  /** Opens every port and resumes what a crash cut off. @throws IndexPortsTaken */
  start(): Promise<void>;
  /** Waits for what runs. What is planned is resumed at the next start. */
  close(): Promise<void>;
}

/** Ports of indexes that another process has; clients know them, so no others can stand in. */
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
  readonly regions: readonly Region[];
  readonly hostOf: IndexHosts;
  readonly #store: IndexResources;
  /** One change of an index at a time. */
  readonly #changes = new KeyedQueue();
  readonly #later: DelayedWork;
  readonly #transitionMilliseconds: number;
  readonly #beingFilled: ReadonlySet<string>;
  readonly #endWork: (indexId: string) => Promise<void>;

  constructor(options: IndexLifecycleOptions, store: IndexResources) {
    this.regions = options.regions ?? DEFAULT_REGIONS;
    this.hostOf = options.hosts;
    this.#store = store;
    this.#transitionMilliseconds = options.transitionMilliseconds ?? TRANSITION_MILLISECONDS;
    this.#beingFilled = options.beingFilled ?? new Set();
    this.#endWork = options.endWork ?? (() => Promise.resolve());
    this.#later = new DelayedWork({
      retryMilliseconds: options.retryMilliseconds ?? RETRY_MILLISECONDS,
      onFailure: options.onFailure ?? (() => undefined),
    });
  }

  async start(): Promise<void> {
    const taken: Index[] = [];
    for (const index of this.#store.registry.all()) {
      const isFilled = index.state === 'Initializing' && this.#beingFilled.has(index.id);
      if (isLeftover(index) && !isFilled) this.#discardLater(index.id);
      else {
        if (!(await this.#opens(index))) taken.push(index);
        this.#settleLater(index);
      }
    }
    if (taken.length > 0) throw new IndexPortsTaken(taken);
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
      const index = this.#store.registry.get(id);
      if (index?.state === 'Initializing') await this.#store.save({ ...index, state: 'Ready' });
    });
  }

  async fail(id: string): Promise<void> {
    await this.#changes.run(id, async () => {
      const index = this.#store.registry.get(id);
      if (index?.state !== 'Initializing') return;
      await this.#store.empty(id);
      await this.#store.save({ ...index, state: 'InitializationFailed' });
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
      const index = this.#store.registry.get(id);
      if (index === undefined || index.state === 'Terminating') throw fault('index-not-found', { name });
      if (isUnfilled(index)) throw fault('index-not-ready', { name });
      const changed = await this.#store.save(changedIndex(index, change));
      this.#settleLater(changed);
      return changed;
    });
  }

  async remove(access: ProjectAccess, name: string): Promise<void> {
    const { id } = this.#visible(access, name);
    await this.#changes.run(id, async () => {
      const index = this.#store.registry.get(id);
      if (index === undefined) throw fault('index-not-found', { name });
      // Asked again, as after a lost reply: it goes already.
      if (index.state === 'Terminating') return;
      if (index.deletionProtection === 'enabled') throw fault('deletion-protected');
      await this.#store.retire(index);
      this.#discardLater(id);
    });
  }

  byPort(port: number): Index | undefined {
    return this.#store.registry.byPort(port);
  }

  byHost(hostname: string): Index | undefined {
    return this.#store.registry.byHost(hostname);
  }

  profile(indexId: string): IndexProfile | undefined {
    return this.#store.registry.profile(indexId);
  }

  /** The one place that decides whether a caller may see an index. @throws index-not-found */
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
    // Nothing is awaited since the look-up: of many at once, one takes the name.
    this.#store.reserve({ id, projectId, ...requested, state: 'Initializing', port: null, createdAt });
    return this.#changes.run(id, async () => {
      try {
        return await build(id);
      } catch (error) {
        await this.#discard(id).catch(() => this.#discardLater(id));
        throw error;
      }
    });
  }

  /** False when another process has the port. */
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
      // Not among the changes of the index: the work that ends may have a last one to make.
      await this.#endWork(id);
      await this.#changes.run(id, () => this.#discard(id));
    });
  }

  #settleLater(index: Index): void {
    if (isSettled(index)) return;
    this.#later.plan(index.id, this.#transitionMilliseconds, () =>
      this.#changes.run(index.id, () => this.#settle(index.id)),
    );
  }

  async #settle(id: string): Promise<void> {
    const index = this.#store.registry.get(id);
    if (index !== undefined && !isLeftover(index)) await this.#store.save(settled(index));
  }
}

/** True for one that gets its records still, or never will. */
function isUnfilled({ state }: Index): boolean {
  return state === 'Initializing' || state === 'InitializationFailed';
}

/**
 * True for an index to be removed, when no change of it runs: nobody was told that one in
 * Initializing exists, so its creator may ask for it again.
 */
function isLeftover({ state }: Index): boolean {
  return state === 'Initializing' || state === 'Terminating';
}
