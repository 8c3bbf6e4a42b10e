// Finds the pages of the catalog's file that have changed, by digests of those that are known.
import { createHash, hash } from 'node:crypto';
import type { CatalogPages } from '../pages.ts';
import { pageBytesOf, pageCountOf, readPage, readPages } from './file-pages.ts';

/** Of a digest: two contents of one page are never taken for each other. */
const SUM_BYTES = 16;

/** @param fd of the file, all of whose content is in it. @param known digests of pages; null for none */
export function changedPages(fd: number, known: Uint8Array | null): Omit<CatalogPages, 'version'> {
  const pageBytes = pageBytesOf(fd);
  const pageCount = pageCountOf(fd, pageBytes);
  const sums = Buffer.alloc(SUM_BYTES * pageCount);
  const changed: number[] = [];
  const whole = createHash('sha256');
  let page = 0;
  for (const content of readPages(fd, pageBytes)) {
    const [first, end] = [page * SUM_BYTES, (page + 1) * SUM_BYTES];
    whole.update(content);
    hash('sha256', content, 'buffer').copy(sums, first, 0, SUM_BYTES);
    if (known === null || !sums.subarray(first, end).equals(known.subarray(first, end))) changed.push(page);
    page++;
  }
  const bytes = new Uint8Array(pageBytes * changed.length);
  for (const [i, number] of changed.entries())
    readPage(fd, number, bytes.subarray(i * pageBytes, (i + 1) * pageBytes));
  return { sums: new Uint8Array(sums), pageBytes, pageCount, changed, bytes, sha256: whole.digest('hex') };
}
