// Finds the pages of the catalog's file that have changed, by digests of those that are known.
import { createHash, hash } from 'node:crypto';
import { fstatSync, readSync } from 'node:fs';
import type { CatalogPages } from '../pages.ts';

const PAGE_SIZE_AT = 16;
const PAGE_BYTES_MAX = 65_536;
/** Of a digest: two contents of one page are never taken for each other. */
const SUM_BYTES = 16;

/** @param fd of the file, all of whose content is in it. @param known digests of pages; null for none */
export function changedPages(fd: number, known: Uint8Array | null): Omit<CatalogPages, 'version'> {
  const file = Buffer.alloc(fstatSync(fd).size);
  for (let done = 0; done < file.length; ) {
    const got = readSync(fd, file, done, file.length - done, done);
    if (got === 0) throw new Error('the file of the catalog has become shorter');
    done += got;
  }
  const stored = file.readUInt16BE(PAGE_SIZE_AT);
  const pageBytes = stored === 1 ? PAGE_BYTES_MAX : stored;
  const pageCount = Math.ceil(file.length / pageBytes);
  const sums = Buffer.alloc(SUM_BYTES * pageCount);
  const changed: number[] = [];
  for (let page = 0; page < pageCount; page++) {
    const content = file.subarray(page * pageBytes, (page + 1) * pageBytes);
    const [first, end] = [page * SUM_BYTES, (page + 1) * SUM_BYTES];
    hash('sha256', content, 'buffer').copy(sums, first, 0, SUM_BYTES);
    if (known === null || !sums.subarray(first, end).equals(known.subarray(first, end))) changed.push(page);
  }
  const bytes = new Uint8Array(
    Buffer.concat(changed.map((page) => file.subarray(page * pageBytes, (page + 1) * pageBytes))),
  );
  const sha256 = createHash('sha256').update(file).digest('hex');
  return { sums: new Uint8Array(sums), pageBytes, pageCount, changed, bytes, sha256 };
}
