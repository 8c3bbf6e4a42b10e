// Small index profiles, records and queries for tests of engines.
import type { FieldTest, Filter } from '../../domain/filter/grammar.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import type { Metadata, QueryRequest, SparseVector, StorableRecord } from '../port/reader-and-writer.ts';

/** A serverless dense index of dimension 4, unless overridden. */
export function sampleProfile(overrides: Partial<IndexProfile> = {}): IndexProfile {
  return {
    id: '6f1c0e0a-51a1-4b1e-9d5e-0d6a1c3b7a01',
    name: 'sample',
    projectId: 'b5b4c3a2-0f0e-4d0d-8c0c-0b0a09080706',
    kind: 'serverless',
    vectorType: 'dense',
    metric: 'cosine',
    dimension: 4,
    filterableFields: null,
    metadataSchema: null,
    dedicated: false,
    readable: true,
    documents: null,
    ...overrides,
  };
}

export function dense(
  id: string,
  values: readonly number[],
  metadata: Metadata | null = null,
): StorableRecord {
  return { id, values: Float32Array.from(values), sparse: null, metadataJson: textOf(metadata) };
}

export function sparseOnly(id: string, entries: Entries, metadata: Metadata | null = null): StorableRecord {
  return { id, values: null, sparse: sparseOf(entries), metadataJson: textOf(metadata) };
}

export type Entries = readonly (readonly [index: number, value: number])[];

/** @param entries in ascending order of their indices */
export function sparseOf(entries: Entries): SparseVector {
  return {
    indices: Uint32Array.from(entries, ([index]) => index),
    values: Float32Array.from(entries, ([, value]) => value),
  };
}

/** A query of the default namespace for the top 10 ids, unless overridden. */
export function sampleQuery(overrides: Partial<QueryRequest>): QueryRequest {
  return {
    namespace: '',
    topK: 10,
    values: null,
    sparse: null,
    filter: null,
    includeValues: false,
    includeMetadata: false,
    ...overrides,
  };
}

export function where(field: string, test: FieldTest): Filter {
  return { kind: 'field', field, test };
}

export const EVERYTHING: Filter = { kind: 'all', parts: [] };

function textOf(metadata: Metadata | null): string | null {
  return metadata === null ? null : JSON.stringify(metadata);
}
