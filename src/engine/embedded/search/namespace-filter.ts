// A filter bound to a namespace: which fields it may use, and how to evaluate it on one record.
import type { Filter } from '../../../domain/filter/grammar.ts';
import { matches } from '../../../domain/filter/matches.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { Metadata } from '../../port/reader-and-writer.ts';
import type { NamespaceRow } from '../storage/namespace-table.ts';

/** Fields that filters may use; the namespace's schema takes precedence over the index's. Null for all fields. */
export function filterableFields(
  profile: Pick<IndexProfile, 'filterableFields'>,
  { schema }: Pick<NamespaceRow, 'schema'>,
): readonly string[] | null {
  return schema === null ? profile.filterableFields : Object.keys(schema.fields);
}

/** Evaluates a filter on metadata as stored. */
export function metadataTest(
  filter: Filter | null,
  filterable: readonly string[] | null,
): (metadataJson: string | null) => boolean {
  if (filter === null) return () => true;
  const allowed = filterable === null ? null : new Set(filterable);
  const isFilterable = (field: string) => allowed === null || allowed.has(field);
  // Metadata was validated before it was stored.
  return (metadataJson) => matches(filter, JSON.parse(metadataJson ?? '{}') as Metadata, isFilterable);
}
