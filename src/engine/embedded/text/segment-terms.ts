// The terms of a query in one segment: their numbers there, and their posting lists.
import type { BoundQuery } from '../../../domain/full-text/scoring/bound-query.ts';
import type { TextReader } from './text-reader.ts';

export class SegmentTerms {
  /** By number in the query; null for terms that the segment does not have. */
  readonly numbers: readonly (number | null)[];
  /** Positions of the heads of their posting lists, as of the snapshot; 0 for terms without one. */
  readonly lists: readonly number[];

  /** Call before it is checked that a snapshot is current. @param fields numbers of the text fields */
  constructor(reader: TextReader, { terms }: BoundQuery, fields: ReadonlyMap<string, number>) {
    this.numbers = terms.map(({ field, term }) => {
      const number = fields.get(field);
      return number === undefined ? null : reader.numberOf(number, term);
    });
    this.lists = this.numbers.map((number) => (number === null ? 0 : reader.listOf(number)));
  }
}
