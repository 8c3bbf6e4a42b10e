// How this process writes to a standard stream of its own, whatever it was given for it.
import { fstatSync, write, writeSync } from 'node:fs';
import type { LogTarget } from './log-lines.ts';

/**
 * Files and terminals are written by a thread of the system's pool. Pipes and sockets never hold up a write, so this
 * thread writes them itself: one whose reader is stuck would occupy a thread of the pool, which an exit waits for.
 */
export function standardError(): LogTarget {
  // Node makes pipes and sockets non-blocking when it opens the stream.
  const { fd } = process.stderr;
  const writeNow = (bytes: Buffer) => writeSync(fd, bytes);
  const stats = fstatSync(fd);
  const isPipe = (stats.isFIFO() || stats.isSocket()) && process.platform !== 'win32';
  if (!isPipe) return { write: (bytes, onWritten) => write(fd, bytes, onWritten), writeNow };
  return {
    write: (bytes, onWritten) => {
      let written: number;
      try {
        written = writeNow(bytes);
      } catch (error) {
        return onWritten(error as NodeJS.ErrnoException, 0);
      }
      onWritten(null, written);
    },
    writeNow,
  };
}
