// Makes the file of the catalog as it was at a moment, from the pages that were shipped.
import { createHash } from 'node:crypto';
import type { Blobs } from '../../blobs/port.ts';
import { type CatalogSection, LogDamaged, logKey, readObject } from './log-format.ts';
import type { RecoveryPlan } from './plan-recovery.ts';
import { Headers, headersFrom } from './read-timelines.ts';

/** Node hashes less than 2 GiB at once. */
const HASH_BYTES_MAX = 2 ** 30;

/** @throws LogDamaged, BlobsUnavailable */
export async function recoverCatalog(
  blobs: Blobs,
  { timeline, catalog, last, until }: RecoveryPlan,
): Promise<Buffer> {
  let file: Buffer = Buffer.alloc(0);
  for await (const { number, sections } of headersFrom(new Headers(blobs, timeline), catalog, last)) {
    if (!sections.some((section) => section.kind === 'catalog' && section.ms <= until)) continue;
    const key = logKey(timeline, number);
    const { header, content } = await readObject(blobs, key);
    for (const section of header.sections)
      if (section.kind === 'catalog' && section.ms <= until)
        file = withPages(file, { section, pages: content(section), key });
  }
  return file;
}

function withPages(
  file: Buffer,
  { section, pages, key }: { readonly section: CatalogSection; readonly pages: Buffer; readonly key: string },
): Buffer {
  const { pageBytes, pageCount, changed, sha256 } = section;
  const next = Buffer.alloc(pageBytes * pageCount);
  if (changed === null) pages.copy(next);
  else {
    file.copy(next, 0, 0, Math.min(file.length, next.length));
    for (const [i, page] of changed.entries())
      pages.copy(next, page * pageBytes, i * pageBytes, (i + 1) * pageBytes);
  }
  if (digestOf(next) !== sha256) throw new LogDamaged(key, 'does not make the catalog that was shipped');
  return next;
}

function digestOf(file: Buffer): string {
  const digest = createHash('sha256');
  for (let at = 0; at < file.length; at += HASH_BYTES_MAX)
    digest.update(file.subarray(at, at + HASH_BYTES_MAX));
  return digest.digest('hex');
}
