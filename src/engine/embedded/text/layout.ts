// The layout of a segment's text index in blocks and frames of the shared memory.
import { FRAME_BYTES } from '../kernels/layout.ts';
import type { Epochs } from '../memory/epochs.ts';

export { FRAME_BYTES };

/** Where a writer gets frames and blocks from, and the shared memory. */
export interface TextMemory extends SharedBytes {
  /** Allocates `count` contiguous frames of undefined content. @throws when memory is full @returns the byte address */
  frames(count: number): number;
  /** Allocates 4,096 zeroed bytes. @throws when memory is full @returns the byte address */
  block(): number;
  /** Frees frames once no reader can still use them. */
  retire(frames: readonly number[]): void;
  /** For parts of frames that are used again. */
  readonly epochs: Pick<Epochs, 'advance' | 'oldestPinned'>;
}

/** The shared memory, at least up to `endByte`; growth replaces the views. */
export interface SharedBytes {
  readonly words: (endByte: number) => Uint32Array<SharedArrayBuffer>;
  readonly bytes: (endByte: number) => Buffer<SharedArrayBuffer>;
}

export const BLOCK_BYTES = 4_096;

/** Words of a term: how many live records have it, and the position of its key. */
export const TermWord = { Holders: 0, Key: 1 } as const;
export const TERM_WORDS = 2;
export const TERMS_PER_BLOCK = BLOCK_BYTES / 4 / TERM_WORDS;

/** Lists whose heads' positions fit in a block. */
export const LISTS_PER_BLOCK = BLOCK_BYTES / 4;

/** A position in a stream of frames as one word: frame << POSITION_FRAME_SHIFT | byte. */
export const POSITION_FRAME_SHIFT = 16;
const POSITION_BYTE_MASK = 0xffff;
/** Where content starts in a frame, so that no position is 0. */
export const FIRST_BYTE = 8;
export const FRAMES_MAX = 2 ** (32 - POSITION_FRAME_SHIFT);

/** A key: its length in bytes, then the number of the field, then the term in UTF-8. Terms have up to 40 characters. */
export const KEY_BYTES_MAX = 1 + 4 * 40;

/** The statistics block: tokens of each field as f64, then, as f64 too, the number of terms. */
export const FIELDS_MAX = 500;
export const TERM_COUNT_AT = FIELDS_MAX;

/** Where a word of a stream lies. @param frames addresses of its frames */
export function addressAt(frames: readonly number[], position: number): number {
  return (frames[position >>> POSITION_FRAME_SHIFT] ?? 0) + (position & POSITION_BYTE_MASK);
}
