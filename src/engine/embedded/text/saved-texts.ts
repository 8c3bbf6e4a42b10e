// What a derived file holds of a text index besides its frames and blocks: plain data, without addresses.
import type { MemoryPart, Part } from '../storage/derived-files/parts.ts';
import { BLOCK_BYTES, FRAME_BYTES } from './layout.ts';

/** Raise it whenever texts are analyzed differently, or the meaning of frames, blocks or this data changes. */
export const TEXTS_VERSION = 6;

export interface SavedStream {
  readonly frames: number;
  /** Contiguous frames that hold one string each: number of the first, and how many. */
  readonly runs: readonly (readonly [first: number, count: number])[];
  /** Where the next string goes in the last frame. */
  readonly byte: number;
}

export interface SavedRuns {
  readonly runs: readonly { readonly frames: number; readonly terms: number }[];
  readonly sorted: number;
}

export interface SavedDictionary {
  readonly terms: number;
  readonly sorted: SavedRuns;
  readonly keys: SavedStream;
  /** Pieces of each hash table. */
  readonly tables: readonly number[];
  /** Entries of the last table that are used. */
  readonly used: number;
}

export interface SavedHeads {
  readonly frames: number;
  /** Where the next piece goes in the last frame. */
  readonly byte: number;
  /** Positions of free pieces, by their size. */
  readonly free: readonly (readonly number[])[];
}

export interface SavedLengths {
  /** Of the blocks that are allocated. */
  readonly numbers: readonly number[];
  readonly tokens: number;
  readonly slots: number;
  /** Slots with lengths that codes do not tell exactly, and those. */
  readonly long: readonly (readonly [slot: number, tokens: number])[];
}

export interface SavedLists {
  /** Blocks of the positions of heads. */
  readonly lists: number;
  readonly heads: SavedHeads;
  readonly blocks: SavedStream;
}

export interface SavedTexts {
  readonly version: number;
  /** Names and analysis of the fields, as JSON: those of other fields are of no use. */
  readonly fields: string;
  readonly dictionary: SavedDictionary;
  /** False where no record has had a text. */
  readonly hasTexts: boolean;
  readonly lists: SavedLists;
  /** By number of the field. */
  readonly lengths: readonly SavedLengths[];
}

/** Allocated parts of an index, to be filled from a file. */
export interface Restoring {
  readonly parts: readonly Part[];
  /** Completes the index once the parts are filled. */
  finish(): void;
}

export function framesPart(name: string, addresses: readonly number[]): MemoryPart {
  return { name, addresses, bytesEach: FRAME_BYTES, isPacked: true };
}

export function blocksPart(name: string, addresses: readonly number[]): MemoryPart {
  return { name, addresses, bytesEach: BLOCK_BYTES, isPacked: true };
}
