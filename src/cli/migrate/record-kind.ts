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

export interface RecordKind {
  /** Records of an upsert, at most. */
  readonly upsertRecordsMax: number;
  list(client: ApiClient, namespace: string, token: string | null): Promise<IdPage>;
  /** The records that exist: the source may be written meanwhile. */
  fetch(client: ApiClient, namespace: string, ids: readonly string[]): Promise<readonly MigratedRecord[]>;
  upsert(client: ApiClient, namespace: string, records: readonly MigratedRecord[]): Promise<void>;
}
