// What the records of a namespace were when a load had replayed all writes, for those that are removed until it has ended.
import { parseMetadata } from '../../../domain/records/metadata.ts';
import type { DeletedRecord } from '../segments/deleted-record.ts';
import type { RecordStore } from '../storage/record-store.ts';
import type { StoredBody } from '../storage/record-table.ts';

/** The records of a namespace at one moment, and those that were added since. No row is used again meanwhile. */
export class FormerRecords {
  readonly #store: RecordStore;
  readonly #namespaceId: number;
  readonly #transaction: ReturnType<RecordStore['env']['useReadTransaction']>;
  readonly #added = new Map<number, string | null>();

  constructor(store: RecordStore, namespaceId: number) {
    this.#store = store;
    this.#namespaceId = namespaceId;
    this.#transaction = store.env.useReadTransaction();
  }

  add(row: number, metadataJson: string | null): void {
    this.#added.set(row, metadataJson);
  }

  /** Null for one that is in neither. */
  find(row: number): DeletedRecord | null {
    const json = this.#added.has(row) ? this.#added.get(row) : this.#stored(row)?.metadataJson;
    if (json === undefined) return null;
    return { metadata: json === null ? null : parseMetadata(json) };
  }

  close(): void {
    this.#transaction.done();
  }

  #stored(row: number): StoredBody | undefined {
    const { records } = this.#store;
    return records.get(this.#namespaceId, row, undefined, { transaction: this.#transaction });
  }
}
