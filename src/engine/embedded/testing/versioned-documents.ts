// Documents all of whose parts tell their version: dense and sparse values, texts and metadata.
import { document } from '../../conformance/document-data.ts';
import { sparseOf } from '../../conformance/sample-data.ts';
import type { StorableRecord } from '../../port/reader-and-writer.ts';

export const VERSIONED_DOCUMENTS = 50;

/** The documents of a version, from 1. */
export function versionOf(version: number): readonly StorableRecord[] {
  return Array.from({ length: VERSIONED_DOCUMENTS }, (_, i) => ({
    ...document(`d${i}`, { text: `word${version} document ${i}`, version }, [version, i]),
    sparse: sparseOf([[version, 1]]),
  }));
}
