// Caches the matches of recent filters: slots never change, so that only new ones have to be evaluated.
import type { Filter } from '../../../domain/filter/grammar.ts';

/** Maximum filters with cached matches: together at most a byte per slot. */
const CACHED_FILTERS_MAX = 8;
/** Longer filters, mostly lists of many values, are rarely repeated. */
const KEY_LENGTH_MAX = 1_024;
const VALUES_MAX = 32;

/** The slots below `slotCount` that match; words beyond it may exist, without meaning. */
interface CachedMatches {
  readonly words: Uint32Array;
  readonly slotCount: number;
}

export class MatchCache {
  /** Least recently used first. */
  readonly #cached = new Map<string, CachedMatches>();

  /** The matches cached for a key, which then counts as used; null for none. */
  get(key: string): CachedMatches | null {
    const cached = this.#cached.get(key);
    if (cached === undefined) return null;
    this.#cached.delete(key);
    this.#cached.set(key, cached);
    return cached;
  }

  /** Caches a copy of the words from `from` on, behind those cached before. @returns all of them */
  put(key: string, matches: CachedMatches, from: number): Uint32Array {
    const { slotCount } = matches;
    const before = this.#cached.get(key)?.words ?? new Uint32Array();
    const count = Math.ceil(slotCount / 32);
    // Spare capacity, because writes keep coming.
    const words = count <= before.length ? before : grown(before, count);
    words.set(matches.words.subarray(from, count), from);
    this.#cached.delete(key);
    this.#cached.set(key, { words, slotCount });
    const [oldest] = this.#cached.keys();
    if (this.#cached.size > CACHED_FILTERS_MAX && oldest !== undefined) this.#cached.delete(oldest);
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
  const key = JSON.stringify([filter, filterable], withAllNumbers);
  return key.length <= KEY_LENGTH_MAX ? key : null;
}

/** JSON cannot represent some numbers; nothing else in a filter is an object with this key. */
function withAllNumbers(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? { number: String(value) } : value;
}

function isShort(filter: Filter): boolean {
  if (filter.kind === 'field') return !('values' in filter.test) || filter.test.values.length <= VALUES_MAX;
  // The expansions of a text query change with the terms of the namespace.
  if (filter.kind === 'text') return false;
  return filter.kind === 'not' ? isShort(filter.part) : filter.parts.every(isShort);
}
