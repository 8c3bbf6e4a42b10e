// The journal of a reference index: every write as one entry, synced before the write is answered, replayed at the start.
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { deserialize, serialize } from 'node:v8';

const LENGTH_BYTES = 4;

/** The name of a method of `Changes`, and its arguments. */
export type Entry = readonly [method: string, ...args: readonly unknown[]];

export class Journal {
  readonly #file: number;

  /** Opens the journal at `path`, or creates it. */
  constructor(path: string) {
    this.#file = openSync(path, existsSync(path) ? 'r+' : 'wx+', 0o600);
  }

  get bytes(): number {
    return fstatSync(this.#file).size;
  }

  /** Returns all entries in order. Removes an entry that a crash truncated: its write was never answered. */
  entries(): readonly Entry[] {
    const bytes = readFileSync(this.#file);
    const entries: Entry[] = [];
    let at = 0;
    while (at + LENGTH_BYTES <= bytes.length) {
      const end = at + LENGTH_BYTES + bytes.readUInt32LE(at);
      if (end > bytes.length) break;
      // Only `append` writes to the journal.
      entries.push(deserialize(bytes.subarray(at + LENGTH_BYTES, end)));
      at = end;
    }
    ftruncateSync(this.#file, at);
    return entries;
  }

  /** Appends an entry, which is on disk when this returns. @throws the system's error; the journal is then unchanged */
  append(entry: Entry): void {
    const start = this.bytes;
    const body = serialize(entry);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(body.length);
    try {
      writeWhole(this.#file, Buffer.concat([length, body]), start);
      fsyncSync(this.#file);
    } catch (error) {
      ftruncateSync(this.#file, start);
      throw error;
    }
  }

  close(): void {
    closeSync(this.#file);
  }
}

function writeWhole(file: number, bytes: Uint8Array, start: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(file, bytes, done, bytes.length - done, start + done);
  }
}
