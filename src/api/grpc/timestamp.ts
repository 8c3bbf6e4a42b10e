// Converts between times in JSON, which are ISO 8601, and google.protobuf.Timestamp.
import { MalformedMessage, type MessageReader, WIRE } from './message-reader.ts';
import type { MessageWriter } from './message-writer.ts';

/** Field numbers. */
const SECONDS = 1;
const NANOS = 2;
const SECOND_MS = 1_000;
const MILLISECOND_NANOS = 1_000_000;
/** The last moment that a Timestamp may hold. */
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** Writes the fields of a Timestamp into the open part. @param time in ISO 8601, not before 1970 */
export function writeTimestamp(writer: MessageWriter, time: string): void {
  const ms = Date.parse(time);
  const seconds = Math.floor(ms / SECOND_MS);
  const nanos = (ms - seconds * SECOND_MS) * MILLISECOND_NANOS;
  if (seconds > 0) writer.varint(SECONDS, seconds);
  if (nanos > 0) writer.varint(NANOS, nanos);
}

/** Reads the next Timestamp, to the millisecond. @throws MalformedMessage for a time before 1970 or after 9999 */
export function readTimestamp(reader: MessageReader): string {
  const outer = reader.enter();
  let seconds = 0;
  let nanos = 0;
  while (reader.hasMore) {
    const tag = reader.tag();
    if (tag === ((SECONDS << 3) | WIRE.varint)) seconds = reader.uint64();
    else if (tag === ((NANOS << 3) | WIRE.varint)) nanos = reader.uint32();
    else reader.skip(tag);
  }
  reader.leave(outer);
  const ms = seconds * SECOND_MS + Math.floor(nanos / MILLISECOND_NANOS);
  if (ms > LAST_MS) throw new MalformedMessage('a time is before 1970 or after 9999');
  return new Date(ms).toISOString();
}
