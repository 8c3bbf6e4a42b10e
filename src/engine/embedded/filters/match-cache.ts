// Caches the matches of recent filters: slots never change, so that only new ones have to be evaluated.
import type { Filter } from '../../../domain/filter/grammar.ts';

/** Bytes of all matches that a thread caches: 640 filters of 200,000 slots (docs/decisions/019-filters.md). */
const BYTES_MAX = 16 * 2 ** 20;
/** What an entry takes besides its words and its key. */
const ENTRY_BYTES = 256;
/** Longer filters, mostly lists of many values, are rarely repeated. */
const KEY_LENGTH_MAX = 1_024;
const VALUES_MAX = 32;

/** The slots below `slotCount` that match; words beyond it may exist, without meaning. */
interface CachedMatches {
  readonly words: Uint32Array;
  readonly slotCount: number;
}

interface Entry extends CachedMatches {
  readonly bytes: number;
  /** Removes the entry from its cache. */
  readonly evict: () => void;
}

/** The entries of several caches, the least recently used first, and the bound of their memory. */
export class MatchBudget {
  readonly #bytesMax: number;
  readonly #entries = new Set<Entry>();
  #bytes = 0;

  constructor(bytesMax: number = BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** Counts an entry as just used. */
  use(entry: Entry): void {
    this.#entries.delete(entry);
    this.#entries.add(entry);
  }

  add(entry: Entry): void {
    this.#entries.add(entry);
    this.#bytes += entry.bytes;
    for (const oldest of this.#entries) {
      if (this.#bytes <= this.#bytesMax) break;
      oldest.evict();
      this.remove(oldest);
    }
  }

  remove(entry: Entry): void {
    if (this.#entries.delete(entry)) this.#bytes -= entry.bytes;
  }
}

/** One budget serves all namespaces of a thread. */
const threadBudget = new MatchBudget();

export class MatchCache {
  readonly #budget: MatchBudget;
  readonly #cached = new Map<string, Entry>();

  constructor(budget: MatchBudget = threadBudget) {
    this.#budget = budget;
  }

  /** The matches cached for a key, which then counts as used; null for none. */
  get(key: string): CachedMatches | null {
    const cached = this.#cached.get(key);
    if (cached === undefined) return null;
    this.#budget.use(cached);
    return cached;
  }

  /** Caches a copy of the words from `from` on, behind those cached before. @returns all of them */
  put(key: string, matches: CachedMatches, from: number): Uint32Array {
    const { slotCount } = matches;
    const old = this.#cached.get(key);
    const before = old?.words ?? new Uint32Array();
    const count = Math.ceil(slotCount / 32);
    // Spare capacity, because writes keep coming.
    const words = count <= before.length ? before : grown(before, count);
    words.set(matches.words.subarray(from, count), from);
    if (old !== undefined) this.#budget.remove(old);
    const bytes = words.byteLength + 2 * key.length + ENTRY_BYTES;
    const entry: Entry = { words, slotCount, bytes, evict: () => this.#cached.delete(key) };
    this.#cached.set(key, entry);
    this.#budget.add(entry);
    return words;
  }
}

function grown(before: Uint32Array, count: number): Uint32Array {
  const words = new Uint32Array(count + (count >>> 3));
  words.set(before);
  return words;
}

/** The same key for literally equal filters, different keys for all others; null for filters not worth caching. */
export function cacheKeyOf(filter: Filter, filterable: readonly string[] | null): string | null {
  if (!isShort(filter)) return null;
  // One entry serves all moments: the present one replaces the one before.
  const keyed = filter.kind === 'live' ? { ...filter, now: null } : filter;
  const key = JSON.stringify([keyed, filterable], withAllNumbers);
  return key.length <= KEY_LENGTH_MAX ? key : null;
}

/** JSON cannot represent some numbers; nothing else in a filter is an object with this key. */
function withAllNumbers(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? { number: String(value) } : value;
}

function isShort(filter: Filter): boolean {
  if (filter.kind === 'field') return !('values' in filter.test) || filter.test.values.length <= VALUES_MAX;
  // The expansions of a text query change with the terms of the namespace.
  if (filter.kind === 'live') return true;
  if (filter.kind === 'text') return false;
  return filter.kind === 'not' ? isShort(filter.part) : filter.parts.every(isShort);
}
