// What the disk itself takes for reading and writing so many bytes, flushed at the end.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file of 2 GiB cannot be read at once. */
const FILE_BYTES_MAX = 2 ** 30;

/** Milliseconds; the source lies in memory already, as a backup does that was just made. */
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
