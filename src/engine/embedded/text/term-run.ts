// A run: some terms of a segment in the order of their bytes, front-coded in frames (Witten, Moffat and Bell, "Managing
// Gigabytes", 1999, chapter 4.1). A run never changes.
//
// A frame starts with the end of its entries as u32. An entry is the number of bytes that its key shares with the one
// before, the number of the others, these, and the number of the term as u32. The first key of a frame shares none.
import { FRAME_BYTES, KEY_BYTES_MAX, type SharedBytes, type TextMemory } from './layout.ts';

const FIRST_ENTRY = 4;
const HEAD_BYTES = 2;
const NUMBER_BYTES = 4;

export interface TermRun {
  /** Addresses of its frames. */
  readonly frames: readonly number[];
  readonly terms: number;
}

/** Appends terms in the order of their keys to new frames. */
export class RunEncoder {
  readonly #memory: TextMemory;
  readonly #frames: number[] = [];
  readonly #last = Buffer.alloc(KEY_BYTES_MAX);
  #lastLength = 0;
  #bytes: Buffer<SharedArrayBuffer> | null = null;
  #at = FRAME_BYTES;
  #terms = 0;

  constructor(memory: TextMemory) {
    this.#memory = memory;
  }

  /** @throws when memory is full */
  add(key: Uint8Array, length: number, term: number): void {
    let shared = 0;
    while (shared < length && shared < this.#lastLength && key[shared] === this.#last[shared]) shared++;
    if (this.#at + HEAD_BYTES + length - shared + NUMBER_BYTES > FRAME_BYTES) {
      this.#openFrame();
      shared = 0;
    }
    const frame = this.#frames.at(-1) ?? 0;
    const bytes = this.#bytes ?? this.#memory.bytes(frame + FRAME_BYTES);
    let at = frame + this.#at;
    bytes[at++] = shared;
    bytes[at++] = length - shared;
    for (let i = shared; i < length; i++) {
      const byte = key[i] ?? 0;
      bytes[at++] = byte;
      this.#last[i] = byte;
    }
    bytes.writeUInt32LE(term, at);
    this.#lastLength = length;
    this.#at = at + NUMBER_BYTES - frame;
    bytes.writeUInt32LE(this.#at, frame);
    this.#terms++;
  }

  finish(): TermRun {
    return { frames: this.#frames, terms: this.#terms };
  }

  #openFrame(): void {
    const frame = this.#memory.frames(1);
    this.#frames.push(frame);
    this.#bytes = this.#memory.bytes(frame + FRAME_BYTES);
    this.#at = FIRST_ENTRY;
    this.#lastLength = 0;
  }
}

/** Reads the entries of a run one after the other. */
export class RunCursor {
  /** The key that `take` read last. */
  readonly key = Buffer.alloc(KEY_BYTES_MAX);
  /** Bytes that the key shares with the one before. */
  shared = 0;
  length = 0;
  term = 0;
  /** Frames visited so far. */
  frames = 0;
  readonly #memory: SharedBytes;
  readonly #run: TermRun;
  #bytes: Buffer<SharedArrayBuffer>;
  #frame = -1;
  #at = 0;
  #end = 0;
  #othersAt = 0;

  constructor(memory: SharedBytes, run: TermRun) {
    this.#memory = memory;
    this.#run = run;
    this.#bytes = memory.bytes(0);
  }

  /**
   * Goes to the next entry, or to the next one without the first `dead` bytes of the key last taken: entries in between
   * are passed over. @returns false at the end
   */
  next(dead = 0): boolean {
    if (dead > 0) this.#pass(dead);
    while (this.#at >= this.#end) {
      if (!this.#openFrame(this.#frame + 1)) return false;
      if (dead > 0 && this.#beginsWith(this.#frame, dead)) {
        this.#at += HEAD_BYTES + (this.#bytes[this.#at + 1] ?? 0) + NUMBER_BYTES;
        this.#pass(dead);
      }
    }
    this.shared = this.#bytes[this.#at] ?? 0;
    const others = this.#bytes[this.#at + 1] ?? 0;
    this.length = this.shared + others;
    this.#othersAt = this.#at + HEAD_BYTES;
    this.#at = this.#othersAt + others + NUMBER_BYTES;
    return true;
  }

  /** Passes over entries of the frame that share `dead` bytes or more with the one before. */
  #pass(dead: number): void {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = this.#at;
    while (at < end && (bytes[at] ?? 0) >= dead) at += HEAD_BYTES + (bytes[at + 1] ?? 0) + NUMBER_BYTES;
    this.#at = at;
  }

  /** Reads the rest of the entry. */
  take(): void {
    for (let i = this.shared, at = this.#othersAt; i < this.length; i++, at++)
      this.key[i] = this.#bytes[at] ?? 0;
    this.term = this.#bytes.readUInt32LE(this.#at - NUMBER_BYTES);
  }

  /** Goes to the last frame whose first key is not above `key`, so that no key from it on is missed. */
  seek(key: Uint8Array, length: number): void {
    let [low, high] = [0, this.#run.frames.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#compareFirst(middle, key, length) <= 0) low = middle;
      else high = middle - 1;
    }
    this.#openFrame(low);
  }

  /** Skips frames all of whose keys have the first `length` bytes of the key last taken. */
  skipFrames(length: number): void {
    let next = this.#frame + 1;
    if (!this.#beginsWith(next, length)) return;
    while (this.#beginsWith(next + 1, length)) next++;
    this.#openFrame(next);
  }

  #openFrame(number: number): boolean {
    const frame = this.#run.frames[number];
    this.#frame = number;
    if (frame === undefined) return false;
    this.frames++;
    this.#bytes = this.#memory.bytes(frame + FRAME_BYTES);
    this.#at = frame + FIRST_ENTRY;
    this.#end = frame + this.#bytes.readUInt32LE(frame);
    return true;
  }

  #beginsWith(frame: number, length: number): boolean {
    const address = this.#run.frames[frame];
    if (address === undefined) return false;
    const bytes = this.#memory.bytes(address + FRAME_BYTES);
    const at = address + FIRST_ENTRY;
    if ((bytes[at + 1] ?? 0) < length) return false;
    for (let i = 0; i < length; i++) if (bytes[at + HEAD_BYTES + i] !== this.key[i]) return false;
    return true;
  }

  #compareFirst(frame: number, key: Uint8Array, length: number): number {
    const address = this.#run.frames[frame] ?? 0;
    const bytes = this.#memory.bytes(address + FRAME_BYTES);
    const at = address + FIRST_ENTRY;
    return bytes.compare(key, 0, length, at + HEAD_BYTES, at + HEAD_BYTES + (bytes[at + 1] ?? 0));
  }
}

/** Merges runs into a new one. @throws when memory is full */
export function mergeRuns(runs: readonly TermRun[], memory: TextMemory): TermRun {
  const encoder = new RunEncoder(memory);
  const cursors = runs.map((run) => new RunCursor(memory, run)).filter(advance);
  while (cursors.length > 0) {
    const least = cursors.reduce((first, each) => (compareKeys(each, first) < 0 ? each : first));
    encoder.add(least.key, least.length, least.term);
    if (!advance(least)) cursors.splice(cursors.indexOf(least), 1);
  }
  return encoder.finish();
}

function advance(cursor: RunCursor): boolean {
  if (!cursor.next()) return false;
  cursor.take();
  return true;
}

function compareKeys(a: RunCursor, b: RunCursor): number {
  return a.key.compare(b.key, 0, b.length, 0, a.length);
}
