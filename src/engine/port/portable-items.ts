// Reads a portable copy: what it is of, then each namespace followed by its records, checked and counted.
import type { IndexProfile } from '../../domain/index-model.ts';
import { parseOwnJson } from '../../domain/json.ts';
import { CopyFailed } from './copy-failed.ts';
import { isOfEmbeddedEngine } from './copy-forms.ts';
import type { CopyDetails, ImportOptions } from './index-copies.ts';
import { type CopiedNamespace, checkHead, framesOf } from './portable-copy.ts';
import { recordsIn } from './portable-records.ts';
import type { StorableRecord } from './reader-and-writer.ts';

export type PortableItem =
  | { readonly kind: 'head'; readonly details: CopyDetails }
  | { readonly kind: 'namespace'; readonly namespace: CopiedNamespace }
  /** Of the namespace before them; ids differ. */
  | { readonly kind: 'records'; readonly records: readonly StorableRecord[] };

/**
 * The first item is the head. Nothing of a copy counts before its end is reached: only then are all checksums compared.
 * @throws CopyFailed damaged, newer, mismatch, foreign; the signal's reason
 */
export async function* portableItems(
  bytes: AsyncIterable<Uint8Array>,
  profile: IndexProfile,
  { sha256, signal }: ImportOptions,
): AsyncGenerator<PortableItem> {
  let details: CopyDetails | null = null;
  let [namespaces, records] = [0, 0];
  for await (const { kind, content } of framesOf(withoutForeign(bytes), sha256)) {
    signal?.throwIfAborted();
    if (kind === 'head') {
      const { seq, recordCount, namespaceCount, sizeBytes } = checkHead(content, profile);
      details = { seq, recordCount, namespaceCount, sizeBytes };
      yield { kind, details };
    } else if (kind === 'namespace') {
      namespaces++;
      // Its checksum shows that a `FrameWriter` wrote it.
      yield { kind, namespace: parseOwnJson<CopiedNamespace>(content.toString()) };
    } else if (kind === 'records') {
      const batch = recordsIn(content, profile.dimension);
      if (namespaces === 0) throw new CopyFailed('damaged', 'records come before their namespace');
      records += batch.length;
      yield { kind, records: batch };
    }
  }
  if (details === null) throw new CopyFailed('damaged', 'it has no beginning');
  if (details.recordCount !== records || details.namespaceCount !== namespaces)
    throw new CopyFailed('damaged', 'it has another number of records or namespaces than it says');
}

/** @throws CopyFailed foreign */
async function* withoutForeign(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const piece of bytes) {
    if (isFirst && isOfEmbeddedEngine(piece))
      throw new CopyFailed(
        'foreign',
        'the copy has the form that only the embedded engine reads; make it with PINYON_BACKUP_FORM=portable there',
      );
    isFirst = false;
    yield piece;
  }
}
