// An open snapshot file: its preamble is verified, the rest is read on demand.
import { closeSync, constants, fstatSync, openSync, read, readSync } from 'node:fs';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { decodePreamble, entryBytes, PREAMBLE_BYTES, type Preamble } from './preamble.ts';
import { UnusableFile } from './unusable.ts';

const readFd = promisify(read);

export class SnapshotFile {
  readonly preamble: Preamble;
  readonly fd: number;

  /** @throws UnusableFile, or the system's error */
  constructor(path: string) {
    // Without O_NONBLOCK, opening a named pipe in its place would wait for a writer for ever.
    this.fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      this.preamble = this.#readPreamble();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** The header and the list of parts, as JSON. @throws UnusableFile */
  head(): string {
    const { headBytes, headSum } = this.preamble;
    const head = this.#checked({ position: PREAMBLE_BYTES, bytes: headBytes, sum: headSum, what: 'header' });
    return head.toString('utf8');
  }

  /** The entries of all chunks. @throws UnusableFile */
  table(): Buffer {
    const { headBytes, chunkCount, tableSum } = this.preamble;
    const position = PREAMBLE_BYTES + headBytes;
    return this.#checked({
      position,
      bytes: chunkCount * entryBytes(this.preamble),
      sum: tableSum,
      what: 'checksum table',
    });
  }

  /** Fills `into`; returns how many bytes there were. */
  read(into: Uint8Array, position: number): number {
    let done = 0;
    while (done < into.length) {
      const got = readSync(this.fd, into, done, into.length - done, position + done);
      if (got === 0) break;
      done += got;
    }
    return done;
  }

  /** The same by a thread of the runtime's pool. The file must not be closed before. */
  async readAside(into: Uint8Array, position: number): Promise<number> {
    let done = 0;
    while (done < into.length) {
      const left = into.length - done;
      const { bytesRead } = await readFd(this.fd, into, done, left, position + done);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    return done;
  }

  close(): void {
    closeSync(this.fd);
  }

  #readPreamble(): Preamble {
    const stats = fstatSync(this.fd);
    if (!stats.isFile()) throw new UnusableFile('foreign', 'it is not a file');
    const bytes = Buffer.alloc(PREAMBLE_BYTES);
    const preamble = decodePreamble(bytes.subarray(0, this.read(bytes, 0)));
    if (stats.size !== preamble.fileBytes)
      throw new UnusableFile('damaged', `it has ${stats.size} bytes instead of ${preamble.fileBytes}`);
    return preamble;
  }

  #checked({ position, bytes, sum, what }: Region): Buffer {
    const region = Buffer.allocUnsafe(bytes);
    if (this.read(region, position) !== bytes || crc32(region) !== sum)
      throw new UnusableFile('damaged', `the checksum of its ${what} is wrong`);
    return region;
  }
}

/** @throws UnusableFile when the file is another one than the one with this id */
export function assertSame({ preamble }: SnapshotFile, { id }: { readonly id: string }): void {
  if (preamble.id !== id) throw new UnusableFile('missing', 'another file has taken its place');
}

interface Region {
  readonly position: number;
  readonly bytes: number;
  readonly sum: number;
  readonly what: string;
}
