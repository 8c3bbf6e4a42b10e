// Staged namespaces of the reference model: each owner has an index of its own, which publishing merges into the main one.
import { fault } from '../../domain/faults.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import type { StorableRecord } from '../port/reader-and-writer.ts';
import type { NewNamespace, StagedNamespace } from '../port/staged-namespaces.ts';
import { ReferenceIndex } from './reference-index.ts';

export class StagedModel {
  readonly #profile: IndexProfile;
  readonly #mergedRecordsMax: number;
  readonly #owners = new Map<string, ReferenceIndex>();

  constructor(profile: IndexProfile, mergedRecordsMax: number) {
    this.#profile = profile;
    this.#mergedRecordsMax = mergedRecordsMax;
  }

  async create(owner: string, namespaces: readonly NewNamespace[]): Promise<void> {
    const index = this.#of(owner);
    for (const { name, schema } of namespaces) {
      if ((await index.describeNamespace(name)) === null) await index.createNamespace(name, schema);
    }
  }

  async write(owner: string, namespace: string, records: readonly StorableRecord[]): Promise<void> {
    await this.#of(owner).upsert(namespace, records);
  }

  list(): readonly StagedNamespace[] {
    return [...this.#owners].flatMap(([owner, index]) =>
      index.state().namespaces.map(({ name, schema, recordCount }) => ({ owner, name, schema, recordCount })),
    );
  }

  /** Publishes an owner's namespaces in `index`. @throws namespace-exists; nothing is published then */
  async publish(owner: string, index: ReferenceIndex): Promise<void> {
    const staged = this.#owners.get(owner)?.state().namespaces ?? [];
    let merged = 0;
    for (const { name } of staged) {
      merged += (await index.describeNamespace(name))?.recordCount ?? 0;
      if (merged > this.#mergedRecordsMax) throw fault('namespace-exists', { name });
    }
    for (const { name, schema, isExplicit, records } of staged) {
      const existing = index.state().namespaces.find((each) => each.name === name);
      if (existing === undefined && isExplicit) await index.createNamespace(name, schema);
      const kept = new Set(existing?.records.map(({ id }) => id));
      await index.upsert(
        name,
        records.filter(({ id }) => !kept.has(id)),
      );
    }
    this.#owners.delete(owner);
  }

  drop(owner: string): void {
    this.#owners.delete(owner);
  }

  #of(owner: string): ReferenceIndex {
    const index = this.#owners.get(owner) ?? new ReferenceIndex(this.#profile);
    this.#owners.set(owner, index);
    return index;
  }
}
