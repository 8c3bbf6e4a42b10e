// Reads the header of a snapshot file, without its parts.
import { membersOf } from '../../../../domain/json.ts';
import { countChunks } from './chunks.ts';
import { type StoredPart, sizeOf } from './parts.ts';
import { dataStart, type Preamble } from './preamble.ts';
import { SnapshotFile } from './snapshot-file.ts';
import { toUnusable, type Unusable, UnusableFile } from './unusable.ts';

/** A file that can be used. Plain data: it may be posted to other threads. */
export interface Snapshot {
  readonly usable: true;
  readonly path: string;
  /** Differs for each file written. */
  readonly id: string;
  /** As passed to the writer; covered by a checksum, but of any shape. */
  readonly header: unknown;
  readonly parts: readonly StoredPart[];
  /** Of the whole file. */
  readonly bytes: number;
}

/** Never throws, whatever lies at `path`. Reading the parts verifies them. */
export function readHeader(path: string): Snapshot | Unusable {
  try {
    const file = new SnapshotFile(path);
    try {
      return { usable: true, path, ...parseHead(file.head(), file.preamble) };
    } finally {
      file.close();
    }
  } catch (error) {
    return toUnusable(error);
  }
}

function parseHead(text: string, preamble: Preamble): Pick<Snapshot, 'id' | 'header' | 'parts' | 'bytes'> {
  const head = parseJson(text);
  if (!isHead(head) || !fits(head.parts, preamble))
    throw new UnusableFile('damaged', 'its header is not one of a snapshot');
  return { id: preamble.id, header: head.header, parts: head.parts, bytes: preamble.fileBytes };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isHead(
  value: unknown,
): value is { readonly header: unknown; readonly parts: readonly StoredPart[] } {
  if (typeof value !== 'object' || value === null || !('header' in value) || !('parts' in value))
    return false;
  return Array.isArray(value.parts) && value.parts.every(isStoredPart);
}

function isStoredPart(value: unknown): value is StoredPart {
  const { name, count, bytesEach } = membersOf(value);
  return typeof name === 'string' && isCount(count) && isCount(bytesEach);
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function fits(parts: readonly StoredPart[], preamble: Preamble): boolean {
  const bytes = parts.reduce((sum, part) => sum + sizeOf(part), 0);
  const stored = preamble.fileBytes - dataStart(preamble);
  if (preamble.isPacked ? stored > bytes : stored !== bytes) return false;
  return countChunks(parts, preamble.chunkBytes) === preamble.chunkCount;
}
