// One index of the reference engine: the reference model, and a journal that restores it after a restart.
import { fault } from '../../domain/faults.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import type { ChangedPage, ChangedRecord } from '../port/changed-records.ts';
import type { Branch, MergeProgress, MergeRequest, NewBranch } from '../port/index-branches.ts';
import type { Lsn, StorableRecord, VectorReader, VectorWriter } from '../port/reader-and-writer.ts';
import type { NewNamespace, StagedNamespace } from '../port/staged-namespaces.ts';
import { ChangedModel } from './changed-model.ts';
import { Journal } from './journal.ts';
import { ReferenceIndex, type ReferenceState } from './reference-index.ts';
import { StagedModel } from './staged-model.ts';

/** The writes that a journal entry may contain, by name. */
export interface Changes extends VectorWriter {
  restore(state: ReferenceState): Promise<void>;
  stage(owner: string, namespaces: readonly NewNamespace[]): Promise<void>;
  writeStaged(owner: string, namespace: string, records: readonly StorableRecord[]): Promise<Lsn>;
  publish(owner: string): Promise<void>;
  dropStaged(owner: string): Promise<void>;
  track(): Promise<void>;
  forget(): Promise<void>;
  settle(changed: readonly ChangedRecord[]): Promise<void>;
  createBranch(branch: NewBranch, createdMs: number): Promise<Branch>;
  mergeBranch(request: MergeRequest): Promise<MergeProgress>;
}

export class StoredIndex {
  readonly #profile: IndexProfile;
  readonly #mergedRecordsMax: number;
  readonly #journal: Journal | null;
  #model: ReferenceIndex;
  #staged: StagedModel;
  #changed = new ChangedModel();
  /** The latest write. Writes run one after the other, so the journal has them in order. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(profile: IndexProfile, mergedRecordsMax: number, journal: Journal | null) {
    this.#profile = profile;
    this.#mergedRecordsMax = mergedRecordsMax;
    this.#journal = journal;
    this.#model = new ReferenceIndex(profile);
    this.#staged = new StagedModel(profile, mergedRecordsMax);
  }

  /** @param path of the journal; null keeps the index in memory alone */
  static async open(
    profile: IndexProfile,
    { path, mergedRecordsMax }: { readonly path: string | null; readonly mergedRecordsMax: number },
  ): Promise<StoredIndex> {
    const index = new StoredIndex(profile, mergedRecordsMax, path === null ? null : new Journal(path));
    await index.#replay();
    return index;
  }

  get reader(): VectorReader {
    return this.#model;
  }

  get bytesOnDisk(): number {
    return this.#journal?.bytes ?? 0;
  }

  state(): ReferenceState {
    return this.#model.state();
  }

  get branches(): ReferenceIndex['branches'] {
    return this.#model.branches;
  }

  staged(): readonly StagedNamespace[] {
    return this.#staged.list();
  }

  changed(limit: number): ChangedPage {
    return this.#changed.list(limit);
  }

  /** Applies a write and resolves when its entry is on disk. @throws what the write throws; storage-full */
  async change<Name extends keyof Changes>(
    method: Name,
    ...args: Parameters<Changes[Name]>
  ): Promise<Awaited<ReturnType<Changes[Name]>>> {
    const done = this.#last.then(async () => {
      const result = await this.#apply(method, args);
      await this.#record(method, args);
      return result;
    });
    this.#last = done.catch(() => undefined);
    // `#apply` calls the method that `Name` names, so the result has that method's type.
    return (await done) as Awaited<ReturnType<Changes[Name]>>;
  }

  /** Resolves when the writes so far have ended. */
  async idle(): Promise<void> {
    await this.#last;
  }

  async close(): Promise<void> {
    await this.#last;
    this.#journal?.close();
  }

  /** Journals a write that the model has applied. If that fails, rebuilds the model without the write. */
  async #record(method: string, args: readonly unknown[]): Promise<void> {
    try {
      this.#journal?.append([method, ...args]);
    } catch (error) {
      await this.#replay();
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'write failed';
      throw fault('storage-full', { reason: code });
    }
  }

  async #replay(): Promise<void> {
    this.#model = new ReferenceIndex(this.#profile);
    this.#staged = new StagedModel(this.#profile, this.#mergedRecordsMax);
    this.#changed = new ChangedModel();
    for (const [method, ...args] of this.#journal?.entries() ?? []) await this.#apply(method, args);
  }

  #apply(method: string, args: readonly unknown[]): Promise<unknown> {
    const changes = this.#changes();
    // Only `change` journals entries, and its types admit nothing but methods of `Changes`.
    return Promise.resolve(Reflect.apply(changes[method as keyof Changes], changes, args));
  }

  #changes(): Changes {
    const model = this.#model;
    const staged = this.#staged;
    const changed = this.#changed;
    /** Notes what a write has changed once it has succeeded. */
    const noting = async <Result>(name: string, ids: readonly string[] | null, write: Promise<Result>) => {
      const result = await write;
      changed.note(name, ids, model.lsn());
      return result;
    };
    const idsOf = (named: readonly { readonly id: string }[]) => named.map(({ id }) => id);
    return {
      upsert: (name, records) => noting(name, idsOf(records), model.upsert(name, records)),
      update: (name, change) => noting(name, [change.id], model.update(name, change)),
      updateMany: (name, changes) => noting(name, idsOf(changes), model.updateMany(name, changes)),
      updateByFilter: (name, change) => noting(name, null, model.updateByFilter(name, change)),
      deleteIds: (name, ids) => noting(name, ids, model.deleteIds(name, ids)),
      deleteByFilter: (name, filter) => noting(name, null, model.deleteByFilter(name, filter)),
      deleteNamespace: (name) => noting(name, null, model.deleteNamespace(name)),
      createNamespace: (name, schema) => noting(name, null, model.createNamespace(name, schema)),
      removeExpired: (request) => model.removeExpired(request),
      restore: async (state) => {
        this.#model = ReferenceIndex.of(this.#profile, state);
      },
      stage: (owner, namespaces) => staged.create(owner, namespaces),
      writeStaged: async (owner, namespace, records) => {
        await staged.write(owner, namespace, records);
        return model.lsn();
      },
      publish: async (owner) => {
        const published = staged.list().filter((each) => each.owner === owner);
        await staged.publish(owner, model);
        for (const { name } of published) changed.note(name, null, model.lsn());
      },
      dropStaged: async (owner) => staged.drop(owner),
      track: async () => changed.track(),
      forget: async () => changed.forget(),
      settle: async (settled) => changed.settle(settled),
      createBranch: async (branch, createdMs) => {
        const created = model.branches.create(branch, createdMs);
        changed.note(branch.name, null, model.lsn());
        return created;
      },
      mergeBranch: async (request) => {
        const source = model.branches.list().find(({ name }) => name === request.branch)?.source;
        const merged = model.branches.merge(request);
        if (source !== undefined) changed.note(source, null, model.lsn());
        return merged;
      },
    };
  }
}
