// How much memory a segment takes when it is restored from its derived file.
import { membersOf } from '../../../domain/json.ts';
import { SEGMENT_FORMAT_NODE_CODES } from '../segments/saved-segment.ts';
import { sizeOf } from '../storage/derived-files/parts.ts';
import { readHeader } from '../storage/derived-files/read-header.ts';

/**
 * Bytes of its parts, without codes that need not stay in memory, and without what is reserved for its growth. Infinity
 * for a file that cannot be used: its segment is loaded from its records.
 */
export function bytesToRestore(path: string): number {
  const file = readHeader(path);
  if (!file.usable) return Number.POSITIVE_INFINITY;
  const isOnDisk = membersOf(file.header).format === SEGMENT_FORMAT_NODE_CODES;
  const inMemory = file.parts.filter(({ name }) => !isOnDisk || name !== 'codes');
  return inMemory.reduce((sum, part) => sum + sizeOf(part), 0);
}
