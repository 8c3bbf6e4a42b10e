// How much memory a segment takes when it is restored from its derived file.
import { membersOf } from '../../../domain/json.ts';
import { CODES } from '../segments/saved-segment.ts';
import { sizeOf } from '../storage/derived-files/parts.ts';
import { readHeader } from '../storage/derived-files/read-header.ts';

/**
 * Bytes of its parts, without codes that need not stay in memory, and without what is reserved for its growth. Infinity
 * for a file that cannot be used: its segment is loaded from its records.
 */
export function bytesToRestore(path: string): number {
  const file = readHeader(path);
  if (!file.usable) return Number.POSITIVE_INFINITY;
  const { graph } = membersOf(membersOf(file.header).state);
  // Where nodes have codes of their own, those of rows stay in the file.
  const isOnDisk = membersOf(graph).codeBits !== undefined;
  const inMemory = file.parts.filter(({ name }) => !isOnDisk || name !== CODES);
  return inMemory.reduce((sum, part) => sum + sizeOf(part), 0);
}
