// The properties of words that the encoders use, cached for recent words.

import { RecentMap } from '../../domain/recent-map.ts';
import { featuresOf } from './features.ts';
import { murmur } from './murmur.ts';
import { naturalLog } from './natural-log.ts';
import { stemOf } from './stem.ts';
import { NO_ROW, slotOf, stemKey, type Tables, wordKey } from './table-format.ts';
import { tables } from './tables.ts';

const WORDS_REMEMBERED = 16_384;
/** Longer words are rare and large, so they are computed each time. */
const REMEMBERED_LENGTH_MAX = 40;
/** The assumed share of passages that contain a word of no table. */
const SHARE_MIN = 5e-6;
/**
 * The share at which a word has half the weight (a in "smooth inverse frequency" a / (a + p); Arora, Liang, Ma
 * 2017).
 */
export const HALF_WEIGHT_SHARE = 0.01;

export interface Word {
  readonly text: string;
  readonly stem: string;
  /** Index of the word in sparse vectors. */
  readonly index: number;
  /** Index of its stem in stemmed sparse vectors. */
  readonly stemIndex: number;
  /** Rarity: ln(1 + 1 / share of passages with the word), 0.7 .. 12.3. */
  readonly rarity: number;
  readonly stemRarity: number;
  /** Rarity as a weight 0..1: near 0 for `the`, 1/2 at HALF_WEIGHT_SHARE. */
  readonly weight: number;
  /** Row of its word vector, or NO_ROW. */
  readonly row: number;
  /** Positions and signs of its features in hashed vectors. */
  readonly features: Uint32Array;
}

const recent = new RecentMap<Word>(WORDS_REMEMBERED);

/** @param text one word, as `wordsOf` returns it */
export function wordOf(text: string): Word {
  if (text.length > REMEMBERED_LENGTH_MAX) return lookUp(text);
  return recent.get(text) ?? recent.set(text, lookUp(text));
}

function lookUp(text: string): Word {
  const table = tables();
  const stem = stemOf(text);
  const wordSlot = slotOf(table, wordKey(text));
  const stemSlot = slotOf(table, stemKey(stem));
  const stemShare = table.shares[stemSlot] ?? 0;
  return {
    text,
    stem,
    index: murmur(text),
    stemIndex: murmur(stem),
    rarity: rarityOf(table.shares[wordSlot] ?? 0),
    stemRarity: rarityOf(stemShare),
    weight: HALF_WEIGHT_SHARE / (HALF_WEIGHT_SHARE + stemShare),
    row: rowAt(table, wordSlot) ?? rowAt(table, stemSlot) ?? NO_ROW,
    features: featuresOf(text),
  };
}

/** The rarity of the word with this key in the table; that of an unknown word if the table lacks it. */
export function rarityAt(key: number): number {
  const table = tables();
  return rarityOf(table.shares[slotOf(table, key)] ?? 0);
}

function rarityOf(share: number): number {
  return naturalLog(1 + 1 / (share + SHARE_MIN));
}

/**
 * Irregular forms ("rewrote") have an entry with the row of their base form; all others use the row of their stem.
 */
function rowAt({ keys, rowNumbers }: Tables, slot: number): number | null {
  const row = keys[slot] === 0 ? NO_ROW : (rowNumbers[slot] ?? NO_ROW);
  return row === NO_ROW ? null : row;
}
