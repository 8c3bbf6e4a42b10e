// What writes records into a file of one of the formats.
import type { StorableRecord } from '../domain/records/record.ts';

/** Takes the next bytes of the file; resolves when more may come. */
export type WriteBytes = (bytes: Uint8Array) => Promise<void>;

export interface RecordFileWriter {
  /** Bytes of the file so far, those in memory included; about. */
  readonly bytes: number;
  add(record: StorableRecord): Promise<void>;
  /** Writes what is left. Nothing may be added afterwards. */
  finish(): Promise<void>;
}
