// A change of one record, and the record that it makes of a stored one: the same rules in every engine.
import type { Filter } from '../filter/grammar.ts';
import { matches } from '../filter/matches.ts';
import type { IndexProfile } from '../index-model.ts';
import { checkDocument, type DocumentParts } from './document-rules.ts';
import { ANY_MOMENT, metadataText, parseMetadata, type Uncounted } from './metadata.ts';
import type { Metadata, SparseVector, StorableRecord } from './record.ts';

/** What a change does to the stored fields of a record beside its vectors. A field is either set or removed. */
export interface MetadataChange {
  /** Merged field by field. */
  readonly setMetadata: Metadata | null;
  /** Names of fields to remove; absent ones are ignored. Default none. */
  readonly removeMetadata?: readonly string[];
  /**
   * A field whose number does not count for the size of metadata, since the server may have set it; default none.
   */
  readonly uncountedField?: string;
}

/** A change of one record: vectors that are set replace the stored ones. */
export interface RecordChange extends MetadataChange {
  readonly id: string;
  readonly values: Float32Array | null;
  readonly sparse: SparseVector | null;
  /** True to remove the sparse vector; `sparse` is then null. Default false. */
  readonly removeSparse?: boolean;
  /** A record that does not match counts as absent. Without text queries; default every record matches. */
  readonly onlyIf?: Filter;
}

/** Whether a change applies to a record as stored. */
export function appliesTo(
  { onlyIf }: RecordChange,
  { metadataJson }: Pick<StorableRecord, 'metadataJson'>,
): boolean {
  return onlyIf === undefined || matches(onlyIf, parseMetadata(metadataJson));
}

/**
 * Returns a record as the change leaves it. `values` is null where the change leaves the stored ones.
 * @param stored with null for `values` where they are not at hand; they exist if the index has a dimension
 * @throws metadata-too-big; on document indexes the faults of `checkDocument`
 */
export function changedRecord(
  stored: StorableRecord,
  change: RecordChange,
  profile: Pick<IndexProfile, 'documents' | 'dimension'>,
): StorableRecord {
  const { id, metadataJson } = stored;
  const sparse = change.removeSparse ? null : (change.sparse ?? stored.sparse);
  return {
    id,
    values: change.values ?? stored.values,
    sparse,
    metadataJson: changedMetadata({ id, sparse, metadataJson }, change, profile),
  };
}

/**
 * Returns the metadata of a record as the change leaves it; null when no field is left.
 * @param stored with the sparse vector that the record will have
 * @throws as `changedRecord`
 */
export function changedMetadata(
  { id, sparse, metadataJson }: Pick<DocumentParts, 'id' | 'sparse' | 'metadataJson'>,
  change: MetadataChange,
  { documents, dimension }: Pick<IndexProfile, 'documents' | 'dimension'>,
): string | null {
  const next = mergedText(metadataJson, change, documents === null);
  const values = dimension === null ? null : { length: dimension };
  if (documents !== null)
    checkDocument(documents, { id, values, sparse, metadataJson: next }, uncountedOf(change));
  return next;
}

/** Whether a change leaves all fields as they are. */
export function isEmptyChange({ setMetadata, removeMetadata = [] }: MetadataChange): boolean {
  return Object.keys(setMetadata ?? {}).length === 0 && removeMetadata.length === 0;
}

/** The fields of a record with a change applied; null when it has removed the last one. */
export function changedFields(
  stored: Metadata,
  { setMetadata, removeMetadata = [] }: MetadataChange,
): Metadata | null {
  // fromEntries and spread define own keys, so a field called `__proto__` stays a field.
  if (removeMetadata.length === 0) return { ...stored, ...setMetadata };
  const removed = new Set(removeMetadata);
  const kept = Object.entries(stored).filter(([field]) => !removed.has(field));
  const next = { ...Object.fromEntries(kept), ...setMetadata };
  return Object.keys(next).length === 0 ? null : next;
}

/** Stored metadata with a change applied; null when no field is left. */
function mergedText(stored: string | null, change: MetadataChange, isBounded: boolean): string | null {
  if (isEmptyChange(change)) return stored;
  const next = changedFields(parseMetadata(stored), change);
  if (next === null) return null;
  return isBounded ? metadataText(next, uncountedOf(change)) : JSON.stringify(next);
}

/** What is stored may have a moment that the server added, also where it adds none any more. */
function uncountedOf({ uncountedField }: MetadataChange): Uncounted {
  return uncountedField ?? ANY_MOMENT;
}
