// The interface of writers that encode records into a file.
import type { StorableRecord } from '../domain/records/record.ts';

/** Receives the next bytes of the file; resolves when it is ready for more. */
export type WriteBytes = (bytes: Uint8Array) => Promise<void>;

export interface RecordFileWriter {
  /** Approximate size of the file so far, including buffered bytes. */
  readonly bytes: number;
  /** Whether readers would refuse a longer file. */
  readonly isFull: boolean;
  add(record: StorableRecord): Promise<void>;
  /** Writes buffered bytes and ends the file. Nothing may be added afterwards. */
  finish(): Promise<void>;
}
