// What the server answers, as far as the console reads it.

export interface IndexOverview {
  readonly name: string;
  readonly kind: 'vectors' | 'documents';
  readonly vector_type: 'dense' | 'sparse';
  readonly dimension: number | null;
  readonly metric: string;
  readonly model: string | null;
  readonly state: string;
  readonly record_count: number | null;
  readonly disk_bytes: number | null;
  readonly memory_bytes: number;
  readonly queries: {
    readonly count: number;
    readonly errors: number;
    readonly p50_ms: number | null;
    readonly p99_ms: number | null;
    readonly expected_recall: number | null;
    readonly audited_recall: number | null;
  };
}

export interface JobOverview {
  readonly id: string;
  readonly kind: string;
  readonly index_name: string | null;
  readonly state: string;
  readonly percent_complete: number;
  readonly created_at: string;
  readonly error: string | null;
}

export interface Overview {
  readonly indexes: readonly IndexOverview[];
  readonly jobs: readonly JobOverview[];
  readonly warnings: readonly string[];
}

export interface Index {
  readonly name: string;
  readonly vector_type: 'dense' | 'sparse';
  readonly metric: string;
  readonly dimension?: number;
  readonly status: { readonly ready: boolean; readonly state: string };
  readonly host: string;
  readonly spec: object;
  readonly deletion_protection: 'enabled' | 'disabled';
  readonly tags: Readonly<Record<string, string>> | null;
  readonly embed?: { readonly model: string; readonly field_map: Readonly<Record<string, string>> };
  readonly schema?: { readonly fields: Readonly<Record<string, SchemaField>> };
}

export interface SchemaField {
  readonly type?: string;
  readonly full_text_search?: unknown;
  readonly embed?: unknown;
  readonly sparse_embed?: unknown;
  readonly dimension?: number;
  readonly filterable?: boolean;
}

export interface Stats {
  readonly namespaces: Readonly<Record<string, { readonly vectorCount: number }>>;
  readonly totalVectorCount: number;
}

export interface SparseValues {
  readonly indices: readonly number[];
  readonly values: readonly number[];
}

export type Metadata = Readonly<Record<string, unknown>>;

/** A record or document without its vectors. */
export interface BrowsedRecord {
  readonly id: string;
  readonly fields: Metadata;
}

export interface FacetCounts {
  readonly field: string;
  readonly values: readonly { readonly value: string | number | boolean; readonly count: number }[];
  readonly distinct: number;
  readonly exact: boolean;
}

export interface BrowsedPage {
  readonly records: readonly BrowsedRecord[];
  readonly total?: number;
  readonly indexed_fields: readonly string[];
  readonly facets?: readonly FacetCounts[];
  readonly pagination?: { readonly next: string };
}

export interface WholeRecord extends BrowsedRecord {
  readonly values: readonly number[];
  readonly sparseValues?: SparseValues;
}

export interface Neighborhood {
  readonly record: WholeRecord;
  readonly neighbors: readonly (BrowsedRecord & { readonly score: number })[];
}

export interface Backup {
  readonly backup_id: string;
  readonly source_index_name: string;
  readonly name?: string;
  readonly description?: string;
  readonly status: string;
  readonly record_count?: number;
  readonly namespace_count?: number;
  readonly size_bytes?: number;
  readonly created_at: string;
}

export interface RestoreJob {
  readonly restore_job_id: string;
  readonly backup_id: string;
  readonly target_index_name: string;
  readonly status: string;
  readonly created_at: string;
  readonly percent_complete?: number;
  /** Why it is Failed. */
  readonly error?: string;
}
