// An LRU cache of results by a hash of their inputs, limited by bytes.
import { createHash } from 'node:crypto';

/** Bytes of a key, its map entry and the objects around a value. */
const ENTRY_BYTES = 300;

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
}

export class ResultCache<Value> {
  // Maps keep insertion order, so the first entry is the least recently used.
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** @param valueBytes approximate size of the value; a value larger than the cache is not stored */
  set(key: string, value: Value, valueBytes: number): void {
    const bytes = valueBytes + ENTRY_BYTES;
    if (bytes > this.#bytesMax) return;
    this.#forget(key);
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}

/** A hash of all parts, so that texts need not be stored. */
export function contentKey(parts: readonly string[]): string {
  const hash = createHash('sha256');
  // The length before each part makes the encoding unambiguous.
  for (const part of parts) hash.update(`${part.length}:${part}`);
  return hash.digest('base64');
}
