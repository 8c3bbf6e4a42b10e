// The terms of a query in one segment: their numbers there, their posting lists, and how many records have them.
import type { TextReader } from './text-reader.ts';

export class SegmentTerms {
  /** By number in the query; null for terms that the segment does not have. */
  readonly numbers: readonly (number | null)[];
  /** Positions of the heads of their posting lists, as of the snapshot; 0 for terms without one. */
  readonly lists: readonly number[];
  /** How many live records have them, as of the snapshot. */
  readonly holders: readonly number[];

  /** Call before it is checked that a snapshot is current. @param numbers by number in the query */
  constructor(reader: TextReader, numbers: readonly (number | null)[]) {
    this.numbers = numbers;
    this.lists = numbers.map((number) => (number === null ? 0 : reader.listOf(number)));
    this.holders = numbers.map((number) => (number === null ? 0 : reader.holdersOf(number)));
  }
}
