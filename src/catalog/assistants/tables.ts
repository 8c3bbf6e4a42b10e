// The tables of assistants as Kysely sees them.
import type { Assistant, AssistantMetadata } from '../../domain/assistants/assistant.ts';
import type { AssistantFile, FileAttributes, FileRevision, Operation } from '../../domain/assistants/file.ts';
import type { JsonText } from '../../domain/json.ts';

export interface AssistantTable {
  id: string;
  project_id: string;
  name: string;
  instructions: string | null;
  metadata: JsonText<AssistantMetadata> | null;
  region: Assistant['region'];
  state: Assistant['state'];
  models: JsonText<Assistant['models']>;
  sparse_index_id: string;
  /** Null: the id of the assistant. */
  dense_index_id: string | null;
  created_at: string;
  updated_at: string;
}

interface AttributeColumns {
  name: string;
  metadata: JsonText<NonNullable<FileAttributes['metadata']>> | null;
  size: number;
  sha256: string;
  /** 0 or 1. */
  multimodal: number;
}

export interface AssistantFileTable extends AttributeColumns {
  assistant_id: string;
  id: string;
  state: AssistantFile['state'];
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
  state: FileRevision['state'];
  processing: JsonText<NonNullable<FileRevision['processing']>> | null;
  created_at: string;
}

export interface AssistantOperationTable {
  id: string;
  assistant_id: string;
  type: Operation['type'];
  file_id: string;
  state: Operation['state'];
  percent: number;
  error: string | null;
  ingestion_units: number | null;
  created_at: string;
  completed_at: string | null;
}
