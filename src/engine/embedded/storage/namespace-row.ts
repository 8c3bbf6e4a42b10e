// A namespace as the store keeps it, and its JSON form on disk.
import type { MetadataSchema } from '../../../domain/index-model.ts';

/** A namespace as stored. `namespaceId` is never used for another namespace, even one of the same name. */
export interface NamespaceRow {
  readonly namespaceId: number;
  readonly recordCount: number;
  readonly sizeBytes: number;
  readonly schema: MetadataSchema | null;
}

/** The field names on disk. */
interface StoredNamespaceRow extends Omit<NamespaceRow, 'namespaceId'> {
  readonly spaceId: number;
}

export function encodeNamespaceRow({ namespaceId, recordCount, sizeBytes, schema }: NamespaceRow): Buffer {
  const stored: StoredNamespaceRow = { spaceId: namespaceId, recordCount, sizeBytes, schema };
  return Buffer.from(JSON.stringify(stored));
}

/** @throws SyntaxError when the value is not JSON */
export function decodeNamespaceRow(value: Buffer): NamespaceRow {
  // The store's own writes, or those of a copy, which checks the counts afterwards.
  const { spaceId, recordCount, sizeBytes, schema } = JSON.parse(value.toString()) as StoredNamespaceRow;
  return { namespaceId: spaceId, recordCount, sizeBytes, schema };
}
