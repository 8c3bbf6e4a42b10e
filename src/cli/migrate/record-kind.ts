// What a migration copies: vectors or documents, through the public calls for them.
import type { ApiClient } from '../client/api-client.ts';

export interface IdPage {
  readonly ids: readonly string[];
  /** Null after the last page. */
  readonly next: string | null;
}

export interface MigratedRecord {
  readonly id: string;
  /** The record as an upsert takes it. */
  readonly body: object;
  /** Equal for equal records, whatever the order of their parts. */
  readonly signature: string;
}

/** What a fetch got of the records that exist: the source may be written meanwhile. */
export interface Fetched {
  readonly records: readonly MigratedRecord[];
  /** Ids of records that exist and that the calls of the server do not return. */
  readonly unreadable: readonly string[];
}

export interface RecordKind {
  /** Records of an upsert, at most. */
  readonly upsertRecordsMax: number;
  list(client: ApiClient, namespace: string, token: string | null): Promise<IdPage>;
  fetch(client: ApiClient, namespace: string, ids: readonly string[]): Promise<Fetched>;
  upsert(client: ApiClient, namespace: string, records: readonly MigratedRecord[]): Promise<void>;
}
