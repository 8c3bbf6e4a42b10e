// What recorder.c has recorded: every change below a folder, in order.
import { readFileSync } from 'node:fs';

const MAGIC = 0x474c_5750;
const HEADER_BYTES = 48;
const OPERATIONS = [
  'none',
  'create',
  'write',
  'truncate',
  'sync-begin',
  'sync-end',
  'rename',
  'unlink',
  'mkdir',
  'rmdir',
  'link',
  'map',
  'sync-all',
] as const;
const DURABLE = 1;

export interface Change {
  readonly operation: (typeof OPERATIONS)[number];
  /** On the monotonic clock, as `process.hrtime`. */
  readonly nanoseconds: bigint;
  readonly inode: number;
  /** Of a write; of a sync, its number. */
  readonly offset: bigint;
  readonly length: number;
  readonly path: string;
  /** The new name of a rename or a link. */
  readonly other: string;
  /** Of a write. */
  readonly bytes: Buffer;
  /** Durable when the call ends, as writes to files that are opened so. */
  readonly isDurable: boolean;
}

/** Reads a log. A last record that is cut off is left out, as after a kill. */
export function readRecording(path: string): readonly Change[] {
  const log = readFileSync(path);
  const changes: Change[] = [];
  for (let at = 0; at + HEADER_BYTES <= log.length; ) {
    if (log.readUInt32LE(at) !== MAGIC) throw new Error(`no record at byte ${at} of ${path}`);
    const operation = OPERATIONS[log[at + 4] ?? 0] ?? 'none';
    const [pathBytes, otherBytes] = [log.readUInt16LE(at + 6), log.readUInt16LE(at + 8)];
    const length = Number(log.readBigUInt64LE(at + 40));
    const names = at + HEADER_BYTES;
    const content = names + pathBytes + otherBytes;
    const end = content + (operation === 'write' ? length : 0);
    if (end > log.length) break;
    changes.push({
      operation,
      nanoseconds: log.readBigUInt64LE(at + 16),
      inode: Number(log.readBigUInt64LE(at + 24)),
      offset: log.readBigUInt64LE(at + 32),
      length,
      path: log.toString('utf8', names, names + pathBytes),
      other: log.toString('utf8', names + pathBytes, content),
      bytes: log.subarray(content, end),
      isDurable: ((log[at + 5] ?? 0) & DURABLE) !== 0,
    });
    at = end;
  }
  return changes;
}
