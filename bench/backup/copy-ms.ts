// The time that the disk needs to read and write so many bytes, with a flush at the end.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file of 2 GiB cannot be read at once. */
const FILE_BYTES_MAX = 2 ** 30;

/** In milliseconds; the source is in the page cache, as a backup is that was just made. */
export function copyMs(folder: string, bytes: number): number {
  const [source, copy] = [join(folder, 'copy-source'), join(folder, 'copy')];
  let ms = 0;
  for (let left = bytes; left > 0; left -= FILE_BYTES_MAX) {
    writeFileSync(source, Buffer.alloc(Math.min(left, FILE_BYTES_MAX), 7), { flush: true });
    const started = performance.now();
    writeFileSync(copy, readFileSync(source), { flush: true });
    ms += performance.now() - started;
  }
  for (const path of [source, copy]) rmSync(path);
  return ms;
}
