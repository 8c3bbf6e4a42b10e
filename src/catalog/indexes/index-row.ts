// Converts an index to a row of the catalog and back.
import type { Index } from '../../domain/index-model.ts';
import type { IndexTable } from '../schema.ts';

export function rowOf(index: Index): IndexTable {
  return {
    id: index.id,
    project_id: index.projectId,
    name: index.name,
    vector_type: index.vectorType,
    metric: index.metric,
    dimension: index.dimension,
    deployment: JSON.stringify(index.deployment),
    state: index.state,
    deletion_protection: index.deletionProtection,
    tags: JSON.stringify(index.tags),
    port: index.port,
    created_at: index.createdAt,
    embed: index.embed === null ? null : JSON.stringify(index.embed),
    documents: index.documents === null ? null : JSON.stringify(index.documents),
  };
}

/** Trusts the row: only `rowOf` writes this table. */
export function indexOf(row: IndexTable): Index {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    vectorType: row.vector_type as Index['vectorType'],
    metric: row.metric as Index['metric'],
    dimension: row.dimension,
    deployment: JSON.parse(row.deployment) as Index['deployment'],
    state: row.state as Index['state'],
    deletionProtection: row.deletion_protection as Index['deletionProtection'],
    tags: JSON.parse(row.tags) as Index['tags'],
    port: row.port,
    createdAt: row.created_at,
    embed: row.embed === null ? null : (JSON.parse(row.embed) as Index['embed']),
    documents: row.documents === null ? null : (JSON.parse(row.documents) as Index['documents']),
  };
}
