// Keeps the figures of the last day over a restart: one compressed file, written now and then and at the end.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { MINUTES_OF_DAY } from '../../domain/live.ts';
import { FIGURES, type MinuteRing, type MinuteSeries } from './minute-series.ts';

const compress = promisify(gzip);
const expand = promisify(gunzip);

/** The format of the file; others are ignored. */
const VERSION = 1;
const SAVE_MS = 5 * 60_000;
const ID_BYTES = 64;
const VERSION_BYTES = 4;
const MINUTES_BYTES = MINUTES_OF_DAY * Uint32Array.BYTES_PER_ELEMENT;
const VALUES_BYTES = MINUTES_OF_DAY * FIGURES.length * Float32Array.BYTES_PER_ELEMENT;
const RING_BYTES = ID_BYTES + MINUTES_BYTES + VALUES_BYTES;
/** What a file of the most indexes expands to. */
const FILE_BYTES_MAX = VERSION_BYTES + 1_000 * RING_BYTES;

export class SeriesKeeper {
  readonly #series: MinuteSeries;
  readonly #path: string;
  readonly #onFailure: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #writing: Promise<void> = Promise.resolve();

  private constructor(series: MinuteSeries, path: string, onFailure: (error: unknown) => void) {
    this.#series = series;
    this.#path = path;
    this.#onFailure = onFailure;
    this.#timer = setInterval(() => this.#save(), SAVE_MS);
    this.#timer.unref();
  }

  /** Loads what an earlier run has kept, if it can be read, and keeps it from now on. */
  static async open(
    series: MinuteSeries,
    path: string,
    onFailure: (error: unknown) => void,
  ): Promise<SeriesKeeper> {
    series.load(await readRings(path));
    return new SeriesKeeper(series, path, onFailure);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#save();
    await this.#writing;
  }

  #save(): void {
    this.#writing = this.#writing.then(() => this.#write()).catch(this.#onFailure);
  }

  async #write(): Promise<void> {
    const rings = [...this.#series.rings()];
    const bytes = Buffer.alloc(VERSION_BYTES + rings.length * RING_BYTES);
    bytes.writeUInt32LE(VERSION, 0);
    for (const [i, [id, { minutes, values }]] of rings.entries()) {
      const at = VERSION_BYTES + i * RING_BYTES;
      bytes.write(id.slice(0, ID_BYTES), at, 'latin1');
      bytes.set(bytesOf(minutes), at + ID_BYTES);
      bytes.set(bytesOf(values), at + ID_BYTES + MINUTES_BYTES);
    }
    const temporary = `${this.#path}.new`;
    await writeFile(temporary, await compress(bytes, { level: 1 }));
    await rename(temporary, this.#path);
  }
}

/** None where there is no file, or none that can be read: figures of the past are worth no failing start. */
export async function readRings(path: string): Promise<ReadonlyMap<string, MinuteRing>> {
  const rings = new Map<string, MinuteRing>();
  try {
    const bytes = await expand(await readFile(path), { maxOutputLength: FILE_BYTES_MAX });
    if (bytes.length < VERSION_BYTES || bytes.readUInt32LE(0) !== VERSION) return rings;
    for (let at = VERSION_BYTES; at + RING_BYTES <= bytes.length; at += RING_BYTES) {
      const id = bytes.toString('latin1', at, at + ID_BYTES).replace(/\0+$/, '');
      const minutes = new Uint32Array(MINUTES_OF_DAY);
      const values = new Float32Array(MINUTES_OF_DAY * FIGURES.length);
      bytesOf(minutes).set(bytes.subarray(at + ID_BYTES, at + ID_BYTES + MINUTES_BYTES));
      bytesOf(values).set(bytes.subarray(at + ID_BYTES + MINUTES_BYTES, at + RING_BYTES));
      rings.set(id, { minutes, values });
    }
  } catch {
    return new Map();
  }
  return rings;
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array | Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
