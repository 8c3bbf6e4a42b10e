// A posting as the writer appends it to the tail of a list.
import { VarintBuffer } from './varint.ts';

/** Smaller numbers are varints of one byte. */
export const SHORT_MAX = 0x80;

/** One term's occurrences in one field of a slot. */
export interface Posting {
  readonly occurrences: number;
  /** The first position. */
  readonly first: number;
  /** The further ones, ascending; those after the first `occurrences - 1` do not count. */
  readonly more: readonly number[];
}

/** Shared, because the writers of a thread encode one posting at a time. */
export const encoded = new VarintBuffer();

/** The difference of the slots, doubled, with one more where the number of occurrences follows; then the positions. `encoded` has them until the next call. */
export function encodePosting(posting: Posting, difference: number): void {
  const { occurrences } = posting;
  encoded.clear();
  encoded.push(difference * 2 + (occurrences > 1 ? 1 : 0));
  if (occurrences > 1) encoded.push(occurrences);
  pushPositions(posting);
}

/** Encodes the positions alone. */
export function encodePositions(posting: Posting): void {
  encoded.clear();
  pushPositions(posting);
}

function pushPositions({ first, more, occurrences }: Posting): void {
  encoded.push(first);
  let before = first;
  for (let i = 0; i < occurrences - 1; i++) {
    const position = more[i] ?? 0;
    encoded.push(position - before);
    before = position;
  }
}
