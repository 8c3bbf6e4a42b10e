// Converts an index to a row of the catalog and back.
import type { Index } from '../../domain/index-model.ts';
import { jsonText, parseJsonText } from '../../domain/json.ts';
import type { IndexTable, PlacementTable } from '../schema.ts';

export function rowOf(index: Index): IndexTable {
  return {
    id: index.id,
    project_id: index.projectId,
    name: index.name,
    vector_type: index.vectorType,
    metric: index.metric,
    dimension: index.dimension,
    deployment: jsonText(index.deployment),
    state: index.state,
    deletion_protection: index.deletionProtection,
    tags: jsonText(index.tags),
    port: index.port,
    created_at: index.createdAt,
    embed: index.embed === null ? null : jsonText(index.embed),
    documents: index.documents === null ? null : jsonText(index.documents),
    storage_id: index.storageId ?? null,
    model_change: index.modelChange === undefined ? null : jsonText(index.modelChange),
    time_to_live: index.timeToLive === undefined ? null : jsonText(index.timeToLive),
    promised_recall: index.promisedRecall ?? null,
    memory_profile: index.memoryProfile ?? null,
  };
}

/** An index, and where it is placed: nulls where it is not. */
export type PlacedRow = IndexTable & {
  readonly [Column in 'node_id' | 'epoch']: PlacementTable[Column] | null;
};

/** Trusts the row: only `rowOf` writes this table. */
export function indexOf(row: PlacedRow): Index {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    vectorType: row.vector_type,
    metric: row.metric,
    dimension: row.dimension,
    deployment: parseJsonText(row.deployment),
    state: row.state,
    deletionProtection: row.deletion_protection,
    tags: parseJsonText(row.tags),
    port: row.port,
    createdAt: row.created_at,
    embed: row.embed === null ? null : parseJsonText(row.embed),
    documents: row.documents === null ? null : parseJsonText(row.documents),
    ...(row.storage_id !== null && { storageId: row.storage_id }),
    ...(row.model_change !== null && { modelChange: parseJsonText(row.model_change) }),
    ...(row.time_to_live !== null && { timeToLive: parseJsonText(row.time_to_live) }),
    ...(row.promised_recall !== null && { promisedRecall: row.promised_recall }),
    ...(row.memory_profile !== null && { memoryProfile: row.memory_profile }),
    ...(row.node_id !== null && { placement: { nodeId: row.node_id, epoch: Number(row.epoch) } }),
  };
}
