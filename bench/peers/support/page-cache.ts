// Files made ready in the system's page cache, or dropped from it, so that what is measured starts from a state that is known.
import { execFileSync } from 'node:child_process';
import { closeSync, fsyncSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';

const PIECE_BYTES = 8 * 2 ** 20;

/** All files in a folder and the folders in it; a file itself. */
function filesIn(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path, { withFileTypes: true });
  // Sockets and the like have no pages.
  const wanted = entries.filter((entry) => !entry.isSocket() && !entry.isFIFO());
  return wanted.flatMap(({ name }) => filesIn(join(path, name)));
}

/** Reads all files below a path once, so that the page cache has them. @returns their bytes */
export function readIntoPageCache(path: string): number {
  const piece = new Uint8Array(PIECE_BYTES);
  let bytes = 0;
  for (const file of filesIn(path)) {
    withFile(file, (descriptor) => {
      for (let count = -1; count !== 0; bytes += count)
        count = readSync(descriptor, piece, 0, piece.length, null);
    });
  }
  return bytes;
}

/**
 * Drops all files below a path from the page cache. Needs no rights but to read them: `dd` asks by posix_fadvise, for which
 * pages that wait to be written, or that a running process has mapped, stay. @throws where there is no GNU `dd`
 */
export function dropFromPageCache(path: string): void {
  for (const file of filesIn(path)) {
    withFile(file, fsyncSync);
    execFileSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' });
  }
}

function withFile(path: string, work: (descriptor: number) => void): void {
  const descriptor = openSync(path, 'r');
  try {
    work(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
