// What the server answers, as far as the console reads it: of endpoints of its own as their OpenAPI document says.
import type { Answers } from './generated/answers.ts';

export type { BrowsedRecord, FacetCounts, SparseValues, WholeRecord } from './generated/answers.ts';

export type Overview = Answers['read_overview'];
export type IndexOverview = Overview['indexes'][number];
export type JobOverview = Overview['jobs'][number];

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

export type Metadata = Readonly<Record<string, unknown>>;

export type BrowsedPage = Answers['browse_records'];
export type Neighborhood = Answers['find_neighbors'];

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
