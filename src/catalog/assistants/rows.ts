// Converts assistants, files, revisions and operations to rows and back. Trusts the rows: only the catalog writes them.
import type { Assistant } from '../../domain/assistants/assistant.ts';
import type { AssistantFile, FileAttributes, FileRevision, Operation } from '../../domain/assistants/file.ts';
import { type JsonText, jsonText, parseJsonText } from '../../domain/json.ts';
import type {
  AssistantFileTable,
  AssistantOperationTable,
  AssistantRevisionTable,
  AssistantTable,
} from './tables.ts';

export function jsonOf<Value>(value: Value | null): JsonText<Value> | null {
  return value === null ? null : jsonText(value);
}

function parsed<Value>(text: JsonText<Value> | null): Value | null {
  return text === null ? null : parseJsonText(text);
}

export function assistantRow(assistant: Assistant): AssistantTable {
  return {
    id: assistant.id,
    project_id: assistant.projectId,
    name: assistant.name,
    instructions: assistant.instructions,
    metadata: jsonOf(assistant.metadata),
    region: assistant.region,
    state: assistant.state,
    models: jsonText(assistant.models),
    sparse_index_id: assistant.sparseIndexId,
    dense_index_id: assistant.denseIndexId,
    created_at: assistant.createdAt,
    updated_at: assistant.updatedAt,
  };
}

export function assistantOf(row: AssistantTable): Assistant {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    instructions: row.instructions,
    metadata: parsed(row.metadata),
    region: row.region,
    state: row.state,
    models: parseJsonText(row.models),
    denseIndexId: row.dense_index_id ?? row.id,
    sparseIndexId: row.sparse_index_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The columns that files and revisions share. */
export function attributeColumns({ name, metadata, size, sha256, multimodal }: FileAttributes) {
  return { name, metadata: jsonOf(metadata), size, sha256, multimodal: Number(multimodal) };
}

type AttributeRow = Pick<AssistantFileTable, 'name' | 'metadata' | 'size' | 'sha256' | 'multimodal'>;

function fieldsOf({ name, metadata, size, sha256, multimodal }: AttributeRow): FileAttributes {
  return { name, metadata: parsed(metadata), size: Number(size), sha256, multimodal: multimodal === 1 };
}

export function fileOf(row: AssistantFileTable): AssistantFile {
  return {
    ...fieldsOf(row),
    assistantId: row.assistant_id,
    id: row.id,
    state: row.state,
    percent: row.percent,
    error: row.error,
    revisionId: row.revision_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function revisionRow(revision: FileRevision): AssistantRevisionTable {
  return {
    ...attributeColumns(revision),
    id: revision.id,
    assistant_id: revision.assistantId,
    file_id: revision.fileId,
    operation_id: revision.operationId,
    state: revision.state,
    processing: jsonOf(revision.processing),
    created_at: revision.createdAt,
  };
}

export function revisionOf(row: AssistantRevisionTable): FileRevision {
  return {
    ...fieldsOf(row),
    id: row.id,
    assistantId: row.assistant_id,
    fileId: row.file_id,
    operationId: row.operation_id,
    state: row.state,
    processing: parsed(row.processing),
    createdAt: row.created_at,
  };
}

export function operationRow(operation: Operation): AssistantOperationTable {
  return {
    id: operation.id,
    assistant_id: operation.assistantId,
    type: operation.type,
    file_id: operation.fileId,
    state: operation.state,
    percent: operation.percent,
    error: operation.error,
    ingestion_units: operation.ingestionUnits,
    created_at: operation.createdAt,
    completed_at: operation.completedAt,
  };
}

export function operationOf(row: AssistantOperationTable): Operation {
  return {
    id: row.id,
    assistantId: row.assistant_id,
    type: row.type,
    fileId: row.file_id,
    state: row.state,
    percent: row.percent,
    error: row.error,
    ingestionUnits: row.ingestion_units,
    createdAt: row.created_at,
    completedAt: row.completed_at,
  };
}
