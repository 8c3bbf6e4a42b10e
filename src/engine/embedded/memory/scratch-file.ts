// A file without a name, whose blocks are written before they are mapped: a write into memory for which the disk has no
// room would end the process.
import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { FRAME_BYTES } from './arena.ts';

const ZEROS = Buffer.alloc(16 * FRAME_BYTES);

export class ScratchFile {
  /** One that was not removed, because the process died in between, is overwritten by the next. */
  readonly #path: string;
  #fd: number | null = null;
  #bytes = 0;
  /** As much as is in use, or what is to be used next besides. */
  #written = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Null before the first bytes are written. */
  get fd(): number | null {
    return this.#fd;
  }

  /** How much is in use; what comes next begins here. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Writes what is to be used next. @returns false when the disk has no room for it */
  extend(bytes: number): boolean {
    const end = this.#bytes + bytes;
    try {
      this.#fd ??= openNameless(this.#path);
      while (this.#written < end) {
        const piece = Math.min(ZEROS.length, end - this.#written);
        this.#written += writeSync(this.#fd, ZEROS, 0, piece, this.#written);
      }
      return true;
    } catch {
      this.giveBack();
      return false;
    }
  }

  /** Notes that the next bytes of those written are in use. */
  use(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Frees what is written and not in use: others may want it on a full disk. */
  giveBack(): void {
    this.#written = this.#bytes;
    try {
      if (this.#fd !== null) ftruncateSync(this.#fd, this.#bytes);
    } catch {
      // It stays longer than it need be.
    }
  }

  /** Mappings keep its bytes. */
  close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }
}

/** A new file that nobody else can open. */
function openNameless(path: string): number {
  rmSync(path, { force: true });
  const fd = openSync(path, 'wx+', 0o600);
  rmSync(path);
  return fd;
}
