// When the history of an index that nobody has opened has something to drop, from a few pages of its file. LMDB would
// need the whole file verified first.
import { join } from 'node:path';
import { PageFile } from '../integrity/page-file.ts';
import { RECORDS } from '../integrity/sealed-records.ts';
import { TolerantReader } from '../integrity/tolerant-reader.ts';
import { decodeHeader } from './history-entries.ts';
import { isBatchKey } from './history-table.ts';

export interface KeptTime {
  /** How long changes are kept, in milliseconds; null for not at all. */
  readonly msMax: number | null;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Call while nobody writes.
 * @param folder of the index
 * @returns milliseconds since 1970; 0 where the index must be opened to tell, and null where there is nothing to drop, or
 *   nothing that can be read: whoever opens it is told why
 */
export function storedDueMs(folder: string, { msMax, now }: KeptTime): number | null {
  try {
    const file = PageFile.open(join(folder, RECORDS));
    try {
      const reader = new TolerantReader(file, { sums: null, onDamage: () => undefined });
      const [first] = reader.entries('history').take(1);
      if (first === undefined) return null;
      if (msMax === null) return 0;
      if (!isBatchKey(first.key)) return null;
      const { ms } = decodeHeader(first.value);
      // A clock that was ahead tells nothing of when this was written.
      return ms > now ? 0 : ms + msMax;
    } finally {
      file.close();
    }
  } catch {
    return null;
  }
}
