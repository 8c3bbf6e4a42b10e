// A change of one record, and the record that it makes of a stored one: the same rules in every engine.
import type { IndexProfile } from '../index-model.ts';
import { checkDocument } from './document-rules.ts';
import { metadataText, parseMetadata } from './metadata.ts';
import type { Metadata, SparseVector, StorableRecord } from './record.ts';

/** What a change does to the stored fields of a record beside its vectors. A field is either set or removed. */
export interface MetadataChange {
  /** Merged field by field. */
  readonly setMetadata: Metadata | null;
  /** Names of fields to remove; absent ones are ignored. Default none. */
  readonly removeMetadata?: readonly string[];
}

/** A change of one record: vectors that are set replace the stored ones. */
export interface RecordChange extends MetadataChange {
  readonly id: string;
  readonly values: Float32Array | null;
  readonly sparse: SparseVector | null;
  /** True to remove the sparse vector; `sparse` is then null. Default false. */
  readonly removeSparse?: boolean;
}

/**
 * Returns a record as the change leaves it. `values` is null where the change leaves the stored ones.
 * @param stored with null for `values` where they are not at hand; they exist if the index has a dimension
 * @throws metadata-too-big; on document indexes the faults of `checkDocument`
 */
export function changedRecord(
  stored: StorableRecord,
  change: RecordChange,
  { documents, dimension }: Pick<IndexProfile, 'documents' | 'dimension'>,
): StorableRecord {
  const next = {
    id: stored.id,
    values: change.values ?? stored.values,
    sparse: change.removeSparse ? null : (change.sparse ?? stored.sparse),
    metadataJson: changedMetadata(stored.metadataJson, change, documents === null),
  };
  const length = dimension ?? 0;
  if (documents !== null) checkDocument(documents, { ...next, values: length === 0 ? null : { length } });
  return next;
}

/** Stored metadata with a change applied; null when no field is left. */
function changedMetadata(
  stored: string | null,
  { setMetadata, removeMetadata = [] }: MetadataChange,
  isBounded: boolean,
): string | null {
  const isUnchanged = Object.keys(setMetadata ?? {}).length === 0 && removeMetadata.length === 0;
  if (isUnchanged) return stored;
  const removed = new Set(removeMetadata);
  const kept = Object.entries(parseMetadata(stored)).filter(([field]) => !removed.has(field));
  // fromEntries and spread define own keys, so a field called `__proto__` stays a field.
  const next = { ...Object.fromEntries(kept), ...setMetadata };
  if (removed.size > 0 && Object.keys(next).length === 0) return null;
  return isBounded ? metadataText(next) : JSON.stringify(next);
}
