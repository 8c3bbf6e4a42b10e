// The tables of assistants as Kysely sees them.

export interface AssistantTable {
  id: string;
  project_id: string;
  name: string;
  instructions: string | null;
  /** JSON text. */
  metadata: string | null;
  region: string;
  state: string;
  /** JSON text. */
  models: string;
  sparse_index_id: string;
  /** Null: the id of the assistant. */
  dense_index_id: string | null;
  created_at: string;
  updated_at: string;
}

interface AttributeColumns {
  name: string;
  /** JSON text. */
  metadata: string | null;
  size: number;
  sha256: string;
  /** 0 or 1. */
  multimodal: number;
}

export interface AssistantFileTable extends AttributeColumns {
  assistant_id: string;
  id: string;
  state: string;
  percent: number;
  error: string | null;
  revision_id: string;
  created_at: string;
  updated_at: string;
}

export interface AssistantRevisionTable extends AttributeColumns {
  id: string;
  assistant_id: string;
  file_id: string;
  operation_id: string;
  state: string;
  /** JSON text. */
  processing: string | null;
  created_at: string;
}

export interface AssistantOperationTable {
  id: string;
  assistant_id: string;
  type: string;
  file_id: string;
  state: string;
  percent: number;
  error: string | null;
  ingestion_units: number | null;
  created_at: string;
  completed_at: string | null;
}
