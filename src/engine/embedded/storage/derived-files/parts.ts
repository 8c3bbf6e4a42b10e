// The parts of a snapshot as callers pass them, and copying between them and a buffer.

/** Pieces of equal size of the shared memory, in order: frames, blocks. */
export interface MemoryPart {
  readonly name: string;
  /** First byte of each piece. */
  readonly addresses: ArrayLike<number>;
  readonly bytesEach: number;
  /** Whether to compress it in the file; default false. */
  readonly isPacked?: boolean;
}

/** Bytes of the calling thread: a copy taken at one moment, a list of numbers. Stored as `length` pieces of one byte. */
export interface BytesPart {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly isPacked?: boolean;
}

export type Part = MemoryPart | BytesPart;

/** A part as described in the file. */
export interface StoredPart {
  readonly name: string;
  readonly count: number;
  readonly bytesEach: number;
}

/** A part and the memory it lies in. */
export interface Span {
  readonly isPacked: boolean;
  readonly stored: StoredPart;
  readonly view: Uint8Array;
  readonly addresses: ArrayLike<number>;
  readonly pieceBytes: number;
}

export function sizeOf({ count, bytesEach }: StoredPart): number {
  return count * bytesEach;
}

/** @throws RangeError when a name is used twice, or a piece lies outside the memory */
export function spansOf(memory: WebAssembly.Memory, parts: readonly Part[]): readonly Span[] {
  // Other threads may have grown it: only a call of grow shows this thread its whole length.
  memory.grow(0);
  const view = new Uint8Array(memory.buffer);
  const names = new Set(parts.map(({ name }) => name));
  if (names.size < parts.length) throw new RangeError('two parts of a snapshot have the same name');
  return parts.map((part) => ('bytes' in part ? spanOfBytes(part) : spanOfMemory(part, view)));
}

function spanOfBytes({ name, bytes, isPacked = false }: BytesPart): Span {
  const stored = { name, count: bytes.length, bytesEach: 1 };
  return { isPacked, stored, view: bytes, addresses: [0], pieceBytes: bytes.length };
}

function spanOfMemory(part: MemoryPart, view: Uint8Array): Span {
  const { name, addresses, bytesEach, isPacked = false } = part;
  if (!Number.isSafeInteger(bytesEach) || bytesEach < 1)
    throw new RangeError(`the pieces of part ${name} have ${bytesEach} bytes`);
  const last = view.length - bytesEach;
  for (let i = 0; i < addresses.length; i++) {
    const address = addresses[i] ?? Number.NaN;
    if (!Number.isInteger(address) || address < 0 || address > last)
      throw new RangeError(`piece ${i} of part ${name} is not inside the memory`);
  }
  const stored = { name, count: addresses.length, bytesEach };
  return { isPacked, stored, view, addresses, pieceBytes: bytesEach };
}

/** Copies the bytes of a part from its byte `from` on into `into`, all of it. */
export function gather(span: Span, from: number, into: Uint8Array): void {
  for (let done = 0; done < into.length; ) {
    const run = runAt(span, from + done, into.length - done);
    into.set(run, done);
    done += run.length;
  }
}

/** Copies `bytes` to a part, from its byte `from` on. */
export function scatter(span: Span, from: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    const run = runAt(span, from + done, bytes.length - done);
    run.set(bytes.subarray(done, done + run.length));
    done += run.length;
  }
}

/** The part's bytes from its byte `at` to the end of the piece, at most `bytesMax`. */
function runAt({ view, addresses, pieceBytes }: Span, at: number, bytesMax: number): Uint8Array {
  const piece = Math.floor(at / pieceBytes);
  const inPiece = at - piece * pieceBytes;
  const start = (addresses[piece] ?? 0) + inPiece;
  return view.subarray(start, start + Math.min(pieceBytes - inPiece, bytesMax));
}
