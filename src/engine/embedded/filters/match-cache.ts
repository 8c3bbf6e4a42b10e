// Caches the matches of recent filters: slots never change, so that only new ones have to be evaluated.
import { hasText, type KeyedFilter, keyOf, outlineOf } from './filter-key.ts';

/** Bytes of all matches that a thread caches: 640 filters of 200,000 slots (docs/decisions/019-filters.md). */
const BYTES_MAX = 16 * 2 ** 20;
/** What an entry takes besides its words and its key. */
const ENTRY_BYTES = 256;
/** Filters with long lists that a thread remembers to have been asked. */
const OUTLINES_MAX = 4_096;

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
  readonly #outlines = new Set<string>();
  #caches = 0;
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

  /** Numbers one more cache. */
  nextCache(): number {
    return this.#caches++;
  }

  /** Whether a filter of the outline was asked before, of late. */
  isAskedAgain(outline: string): boolean {
    const isKnown = this.#outlines.delete(outline);
    this.#outlines.add(outline);
    for (const oldest of this.#outlines) {
      if (this.#outlines.size <= OUTLINES_MAX) break;
      this.#outlines.delete(oldest);
    }
    return isKnown;
  }
}

/** One budget serves all namespaces of a thread. */
const threadBudget = new MatchBudget();

export class MatchCache {
  readonly #budget: MatchBudget;
  readonly #number: number;
  readonly #cached = new Map<string, Entry>();

  constructor(budget: MatchBudget = threadBudget) {
    this.#budget = budget;
    this.#number = budget.nextCache();
  }

  /**
   * The key of a filter, or null for one not to be cached: one with a text query, and one with a long list that is asked
   * for the first time. Most of those never come again: they must not drive out filters that do, and reading all of a list
   * for its key takes as long as a tenth of a search.
   */
  keyOf(keyed: KeyedFilter): string | null {
    if (hasText(keyed.filter)) return null;
    const outline = outlineOf(keyed);
    if (outline !== null && !this.#budget.isAskedAgain(`${this.#number} ${outline}`)) return null;
    return keyOf(keyed);
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
