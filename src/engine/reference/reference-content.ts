// The content of the reference model: its namespaces and the sequence number of its last write.
import { fault } from '../../domain/faults.ts';
import type { Filter } from '../../domain/filter/grammar.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import type { Lsn, StoredRecord } from '../port/reader-and-writer.ts';
import { ReferenceNamespace, type ReferenceNamespaceKind } from './reference-namespace.ts';

export class ReferenceContent {
  readonly profile: IndexProfile;
  readonly namespaces = new Map<string, ReferenceNamespace>();
  lsn: Lsn = 0;
  #added = 0;

  constructor(profile: IndexProfile) {
    this.profile = profile;
  }

  add(name: string, kind: ReferenceNamespaceKind): ReferenceNamespace {
    this.#added += 1;
    const added = new ReferenceNamespace(name, { ...kind, number: this.#added }, this.profile);
    this.namespaces.set(name, added);
    return added;
  }

  /** @throws namespace-not-found */
  existing(name: string): ReferenceNamespace {
    const namespace = this.namespaces.get(name);
    if (namespace === undefined) throw fault('namespace-not-found');
    return namespace;
  }

  /** Empty when there is no such namespace. */
  matching(namespace: string, filter: Filter | null): readonly StoredRecord[] {
    return this.namespaces.get(namespace)?.matching(filter) ?? [];
  }
}
