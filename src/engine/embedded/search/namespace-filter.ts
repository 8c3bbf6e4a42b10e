// A filter bound to a namespace: which fields it may use, and how to evaluate it on one record.
import { textFieldsOf } from '../../../domain/document-schema.ts';
import type { Filter } from '../../../domain/filter/grammar.ts';
import { matches } from '../../../domain/filter/matches.ts';
import type { SearchedIndex } from '../../../domain/full-text/searched-texts.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { parseMetadata } from '../../../domain/records/metadata.ts';
import type { Metadata } from '../../port/reader-and-writer.ts';
import type { NamespaceRow } from '../storage/namespace-table.ts';
import { type ReadMetadata, textMatcher } from './direct-texts.ts';
import { runSlices, type Slices } from './slices.ts';

/** Fields that filters may use; the namespace's schema takes precedence over the index's. Null for all fields. */
export function filterableFields(
  profile: Pick<IndexProfile, 'filterableFields'>,
  { schema }: Pick<NamespaceRow, 'schema'>,
): readonly string[] | null {
  return schema === null ? profile.filterableFields : Object.keys(schema.fields);
}

/** The full-text fields of documents, which filters do not use; none without a document schema. */
export function textFieldNames({ documents }: Pick<IndexProfile, 'documents'>): ReadonlySet<string> {
  return new Set(documents === null ? [] : textFieldsOf(documents).keys());
}

/** What filters see of the records of a namespace. */
export interface FilterScope {
  readonly profile: SearchedIndex;
  /** Fields that filters may use; null for all. */
  readonly filterable: readonly string[] | null;
  /** For filters with text queries, whose statistics are those of all records. */
  readonly read: ReadMetadata;
}

/** Evaluates a filter on metadata as stored. Where it has text queries, all records are read before, in slices. */
export function* metadataTest(
  filter: Filter | null,
  scope: FilterScope,
): Slices<(metadataJson: string | null) => boolean> {
  if (filter === null) return () => true;
  const test = yield* parsedMetadataTest(filter, scope);
  return (metadataJson) => test(parseMetadata(metadataJson));
}

/** Evaluates a filter on parsed metadata, as `metadataTest`. */
export function* parsedMetadataTest(
  filter: Filter,
  { profile, filterable, read }: FilterScope,
): Slices<(metadata: Metadata) => boolean> {
  const texts = textFieldNames(profile);
  const allowed = filterable === null ? null : new Set(filterable);
  const isFilterable = (field: string) => !texts.has(field) && (allowed === null || allowed.has(field));
  const matchText = yield* textMatcher(filter, profile, read);
  return (metadata) =>
    matches(filter, metadata, { isFilterable, matchesText: (query) => matchText(query, metadata) });
}

/** Those of some records that match a filter: statistics of texts decide scores, and not what matches. */
export function matchingRecords<Found extends { readonly metadataJson: string | null }>(
  records: readonly Found[],
  filter: Filter | null,
  scope: Omit<FilterScope, 'read'>,
): readonly Found[] {
  if (filter === null) return records;
  const test = runSlices(metadataTest(filter, { ...scope, read: () => records }));
  return records.filter(({ metadataJson }) => test(metadataJson));
}
