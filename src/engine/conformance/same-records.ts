// Compares stored records byte by byte. Only records that differ are converted to a readable form, for the message.

import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { parseMetadata } from '../../domain/records/metadata.ts';
import type { SparseVector, StoredRecord } from '../port/reader-and-writer.ts';

type Comparable = Partial<StoredRecord> & Pick<StoredRecord, 'id'>;

/** Checks that records are the same, in the same order. The JSON of equal metadata may differ. */
export function assertSameRecords(actual: readonly Comparable[], expected: readonly Comparable[]): void {
  assert.equal(actual.length, expected.length, 'number of records');
  for (const [i, record] of actual.entries()) {
    const other = expected[i];
    if (other !== undefined && isSame(record, other)) continue;
    assert.deepEqual(readable(record), other && readable(other));
  }
}

/** Converts a record to plain arrays and objects, for comparison. */
export function readable(record: Comparable) {
  return {
    id: record.id,
    values: record.values ? Array.from(record.values) : null,
    sparse: record.sparse
      ? { indices: Array.from(record.sparse.indices), values: Array.from(record.sparse.values) }
      : null,
    metadata: record.metadataJson ? parseMetadata(record.metadataJson) : null,
  };
}

function isSame(a: Comparable, b: Comparable): boolean {
  return (
    a.id === b.id &&
    a.metadataJson === b.metadataJson &&
    haveSameBytes(a.values, b.values) &&
    isSameSparse(a.sparse, b.sparse)
  );
}

function isSameSparse(a: SparseVector | null | undefined, b: SparseVector | null | undefined): boolean {
  return haveSameBytes(a?.indices, b?.indices) && haveSameBytes(a?.values, b?.values);
}

function haveSameBytes(
  a: ArrayBufferView | null | undefined,
  b: ArrayBufferView | null | undefined,
): boolean {
  if (!a || !b) return !a && !b;
  return bytesOf(a).equals(bytesOf(b));
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
