// The layout of a snapshot file, planned before any of it is written.
import { type Chunk, chunksOf } from './chunks.ts';
import { type Part, type Span, spansOf } from './parts.ts';
import { CHUNK_BYTES_MAX, CHUNK_BYTES_MIN, dataStart, HEAD_BYTES_MAX } from './preamble.ts';

/** The data begins at a page of the file, also where pages are as large as they may be. */
const PAGE_BYTES = 65_536;

export interface SnapshotSource {
  readonly memory: WebAssembly.Memory;
  /** JSON-able; at most HEAD_BYTES_MAX, together with the list of parts. */
  readonly header: unknown;
  /** Each with a name of its own. */
  readonly parts: readonly Part[];
}

export interface SnapshotPlan {
  readonly spans: readonly Span[];
  readonly chunks: readonly Chunk[];
  readonly chunkBytes: number;
  readonly head: Buffer;
  readonly dataStart: number;
  /** Whether some parts are compressed. */
  readonly isPacked: boolean;
  /** Of the whole file, at most. */
  readonly bytesMax: number;
}

/** @throws RangeError, TypeError */
export function planSnapshot({ memory, header, parts }: SnapshotSource, chunkBytes: number): SnapshotPlan {
  if (!Number.isInteger(chunkBytes) || chunkBytes < CHUNK_BYTES_MIN || chunkBytes > CHUNK_BYTES_MAX)
    throw new RangeError(`chunks of ${chunkBytes} bytes are outside ${CHUNK_BYTES_MIN}..${CHUNK_BYTES_MAX}`);
  const spans = spansOf(memory, parts);
  const stored = spans.map((span) => span.stored);
  const chunks = chunksOf(stored, chunkBytes);
  const isPacked = spans.some((span) => span.isPacked);
  const shape = { chunkCount: chunks.length, isPacked };
  const head = encodeHead(JSON.stringify({ header: header ?? null, parts: stored }), shape);
  const start = dataStart({ headBytes: head.length, ...shape });
  const last = chunks.at(-1);
  const bytesMax = start + (last === undefined ? 0 : last.position + last.bytes);
  return { spans, chunks, chunkBytes, head, dataStart: start, isPacked, bytesMax };
}

/** Padded with blanks, which the checksum covers, too. */
function encodeHead(
  json: string,
  shape: { readonly chunkCount: number; readonly isPacked: boolean },
): Buffer {
  const headBytes = Buffer.byteLength(json);
  const over = dataStart({ headBytes, ...shape }) % PAGE_BYTES;
  const padded = headBytes + (over === 0 ? 0 : PAGE_BYTES - over);
  if (padded > HEAD_BYTES_MAX)
    throw new RangeError(`a snapshot's header has ${padded} bytes, more than ${HEAD_BYTES_MAX}`);
  const head = Buffer.alloc(padded, ' ');
  head.write(json);
  return head;
}
