// Results kept by what they were made from, bounded by bytes; what was not asked for longest goes first.
import { createHash } from 'node:crypto';

/** A key, the map's entry and the objects around a value. */
const ENTRY_BYTES = 300;

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
}

export class ResultCache<Value> {
  // Maps keep their order of insertion: the first entry is the one unused for longest.
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

  /** @param valueBytes about what the value takes; one beyond the bound is not kept */
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

/** The texts themselves are not kept: a hash of all parts stands for them. */
export function contentKey(parts: readonly string[]): string {
  const hash = createHash('sha256');
  // Each part after its length, so that no two lists of parts look alike.
  for (const part of parts) hash.update(`${part.length}:${part}`);
  return hash.digest('base64');
}
