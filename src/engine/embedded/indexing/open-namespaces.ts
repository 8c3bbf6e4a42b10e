// The namespaces that a transaction has opened: created, dropped, renamed and counted within it.
import type { MetadataSchema } from '../../../domain/index-model.ts';
import { namespaceIdKey, seqKey } from '../storage/keys.ts';
import type { Inherited, NamespaceRow } from '../storage/namespace-table.ts';
import type { RecordStore } from '../storage/record-store.ts';
import { isStagedName } from '../storage/staged-names.ts';

const NEXT_NAMESPACE_ID = 'next-space';

/** A namespace open for writing; the counts are written back when the transaction finishes. */
export interface OpenNamespace {
  readonly name: string;
  readonly namespaceId: number;
  readonly schema: MetadataSchema | null;
  readonly isExplicit: boolean;
  /** Its own; what a branch shows of its base is counted apart. */
  recordCount: number;
  sizeBytes: number;
  inherited?: Inherited | undefined;
}

/** What a namespace keeps from its creation. */
export type NamespaceKind = Pick<NamespaceRow, 'schema' | 'isExplicit'>;

export interface GrownNamespace extends Readonly<OpenNamespace> {
  /** Its size without dense values. */
  readonly otherBytes: number;
}

export interface OpenNamespacesOptions {
  /** Of the dense vector of a record. */
  readonly vectorBytes: number;
  readonly onDrop: (namespaceId: number) => void;
  /** Called with the name of a namespace that was created by name, dropped or published. */
  readonly onChange: (name: string) => void;
  /** Called when a namespace is created, dropped or published, with its row as it then is. */
  readonly onEvent: (
    name: string,
    event: { readonly kind: 'create-namespace' | 'delete-namespace'; readonly row: NamespaceRow },
  ) => void;
  /** The write of this number, whose history needs the records of namespaces that it drops; null without history. */
  readonly heldBy: () => number | null;
  /** Whether branches were made of the namespace, which need it as their source. */
  readonly hasBranches: (namespaceId: number) => boolean;
}

export class OpenNamespaces {
  readonly #store: RecordStore;
  readonly #options: OpenNamespacesOptions;
  readonly #open = new Map<string, OpenNamespace>();
  readonly #grown = new Set<number>();
  readonly #shrunk = new Set<number>();
  #recordsAdded = 0;
  #leavesGarbage = false;

  constructor(store: RecordStore, options: OpenNamespacesOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Null when there is no such namespace. */
  find(name: string): OpenNamespace | null {
    const known = this.#open.get(name);
    if (known !== undefined) return known;
    const row = this.#store.namespaces.get(name);
    return row === null ? null : this.#remember(name, row);
  }

  create(name: string, { schema, isExplicit }: NamespaceKind): OpenNamespace {
    const namespaceId = this.newNumber();
    const row = { namespaceId, recordCount: 0, sizeBytes: 0, schema, isExplicit };
    this.#store.namespaces.put(name, row);
    if (isExplicit) this.#options.onChange(name);
    this.#options.onEvent(name, { kind: 'create-namespace', row });
    return this.#remember(name, row);
  }

  /** A number that no namespace has or will have. */
  newNumber(): number {
    const number = this.#store.numbers.get(NEXT_NAMESPACE_ID) + 1;
    this.#store.numbers.put(NEXT_NAMESPACE_ID, number);
    return number;
  }

  /** Removes the namespace at once; its records are removed later, in small transactions. */
  drop(namespace: OpenNamespace): void {
    this.#forget(namespace);
    const { name, ...row } = namespace;
    const heldBy = isStagedName(name) ? null : this.#options.heldBy();
    if (heldBy === null) this.#leavesGarbage = true;
    this.#store.garbage.putSync(
      namespaceIdKey(namespace.namespaceId),
      heldBy === null ? Buffer.alloc(0) : seqKey(heldBy),
    );
    this.#options.onEvent(name, { kind: 'delete-namespace', row });
    this.#options.onDrop(namespace.namespaceId);
    this.#options.onChange(namespace.name);
  }

  /** Drops a namespace that exists only for its records and branches, if it has none. */
  dropIfEmptied(namespace: OpenNamespace): void {
    const { recordCount, isExplicit, namespaceId } = namespace;
    if (recordCount === 0 && !isExplicit && !this.#options.hasBranches(namespaceId)) this.drop(namespace);
  }

  /** Keeps its id, and with it everything derived from its records. No namespace of the new name may exist. */
  rename(namespace: OpenNamespace, name: string, kind: NamespaceKind): void {
    this.#forget(namespace);
    this.#options.onChange(name);
    const { namespaceId, recordCount, sizeBytes } = namespace;
    const row = { namespaceId, recordCount, sizeBytes, ...kind };
    this.#options.onEvent(name, { kind: 'create-namespace', row });
    this.count(this.#remember(name, { namespaceId, recordCount: 0, sizeBytes, ...kind }), recordCount);
  }

  /** Counts added records, or removed ones when `added` is negative. The total excludes staged namespaces. */
  count(namespace: OpenNamespace, added: number): void {
    namespace.recordCount += added;
    if (added > 0) this.#grown.add(namespace.namespaceId);
    else if (added < 0) this.#shrunk.add(namespace.namespaceId);
    if (!isStagedName(namespace.name)) this.#recordsAdded += added;
  }

  /** The published namespaces that records were added to, as the transaction leaves them. */
  get grown(): readonly GrownNamespace[] {
    return [...this.#open.values()]
      .filter((namespace) => this.#grown.has(namespace.namespaceId) && !isStagedName(namespace.name))
      .map((namespace) => ({
        ...namespace,
        otherBytes: namespace.sizeBytes - namespace.recordCount * this.#options.vectorBytes,
      }));
  }

  /** Ids of namespaces that have no records of their own any more, and stay. */
  get emptied(): readonly number[] {
    return [...this.#open.values()].flatMap(({ namespaceId, recordCount }) =>
      recordCount === 0 && this.#shrunk.has(namespaceId) ? [namespaceId] : [],
    );
  }

  /** Something of what is dropped may be removed now. */
  noteGarbage(): void {
    this.#leavesGarbage = true;
  }

  /** True when records of a dropped namespace may be removed now. */
  get leavesGarbage(): boolean {
    return this.#leavesGarbage;
  }

  /** Writes the counts. Call once, last. */
  finish(): void {
    for (const { name, ...row } of this.#open.values()) this.#store.namespaces.put(name, row);
    this.#store.namespaces.addToRecordTotal(this.#recordsAdded);
  }

  #forget(namespace: OpenNamespace): void {
    this.#store.namespaces.remove(namespace.name);
    this.#open.delete(namespace.name);
    if (!isStagedName(namespace.name)) this.#recordsAdded -= namespace.recordCount;
  }

  #remember(name: string, row: NamespaceRow): OpenNamespace {
    const namespace: OpenNamespace = { name, ...row };
    this.#open.set(name, namespace);
    return namespace;
  }
}
