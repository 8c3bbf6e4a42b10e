// What holds for every stored document: it is searchable, has its required fields, and stays within its sizes.
import { Buffer } from 'node:buffer';
import { type DocumentSchema, textFieldsOf } from '../document-schema.ts';
import { fault } from '../faults.ts';
import { DOCUMENT_BYTES_MAX, METADATA_BYTES_MAX } from '../limits.ts';
import { countedBytes, parseMetadata, type Uncounted } from './metadata.ts';
import type { Metadata, StorableRecord } from './record.ts';

/** The parts of a record that the rules depend on: of vectors, only how long they are. */
export interface DocumentParts extends Pick<StorableRecord, 'id' | 'metadataJson'> {
  readonly values: { readonly length: number } | null;
  readonly sparse: { readonly indices: { readonly length: number } } | null;
}

const FLOAT_BYTES = 4;
const SPARSE_ENTRY_BYTES = 8;

/**
 * Checks a whole document, as upserted or as a change leaves it.
 * @throws document-field-missing, document-not-searchable, document-metadata-too-big, document-too-big
 */
export function checkDocument(schema: DocumentSchema, document: DocumentParts, uncounted?: Uncounted): void {
  const metadata = parseMetadata(document.metadataJson);
  checkFields(schema, document, metadata);
  checkSizes(schema, document, { metadata, uncounted });
}

/** The fields that searches by vectors and texts use: all but declared metadata. */
export function searchableFieldsOf({ fields }: DocumentSchema): readonly string[] {
  return Object.entries(fields).flatMap(([name, { kind }]) => (kind === 'metadata' ? [] : [name]));
}

function checkFields(schema: DocumentSchema, document: DocumentParts, metadata: Metadata): void {
  const { id, values, sparse } = document;
  for (const [field, spec] of Object.entries(schema.fields)) {
    const isDense = spec.kind === 'dense' || (spec.kind === 'string' && spec.embed !== null);
    const isStored = spec.kind !== 'string' || !spec.storeText || Object.hasOwn(metadata, field);
    if (isDense && (values === null || !isStored)) throw fault('document-field-missing', { id, field });
  }
  const hasText = [...textFieldsOf(schema).keys()].some((field) => Object.hasOwn(metadata, field));
  if (values === null && sparse === null && !hasText)
    throw fault('document-not-searchable', { id, fields: searchableFieldsOf(schema).join(', ') });
}

function checkSizes(
  schema: DocumentSchema,
  { id, values, sparse, metadataJson }: DocumentParts,
  { metadata, uncounted }: { readonly metadata: Metadata; readonly uncounted: Uncounted },
): void {
  const stored = countedBytes(metadata, { bytes: Buffer.byteLength(metadataJson ?? ''), uncounted });
  // Most documents are small: their metadata need not be measured apart.
  if (stored > METADATA_BYTES_MAX) {
    const texts = textFieldsOf(schema);
    const others = Object.fromEntries(Object.entries(metadata).filter(([field]) => !texts.has(field)));
    const bytes = countedBytes(others, { bytes: Buffer.byteLength(JSON.stringify(others)), uncounted });
    if (bytes > METADATA_BYTES_MAX) throw fault('document-metadata-too-big', { id, bytes });
  }
  const vectors = (values?.length ?? 0) * FLOAT_BYTES + (sparse?.indices.length ?? 0) * SPARSE_ENTRY_BYTES;
  const bytes = id.length + vectors + stored;
  if (bytes > DOCUMENT_BYTES_MAX) throw fault('document-too-big', { id, bytes });
}
