// The terms of a query in one segment: their numbers there, and what single slots have of them.
import type { QuerySteps } from '../../../domain/full-text/query-steps.ts';
import {
  type BoundNode,
  type BoundQuery,
  type RecordTerms,
  scoreRecord,
} from '../../../domain/full-text/scoring/bound-query.ts';
import { EntryTerms, type SoughtTerms } from './entry-decoder.ts';
import { stepsOf } from './term-weights.ts';
import type { TextReader } from './text-reader.ts';

/** Steps of comparing a position of a phrase. */
const STEPS_A_POSITION = 5;

export class SegmentTerms implements RecordTerms {
  /** By number in the query; null for terms that the segment does not have. */
  readonly numbers: readonly (number | null)[];
  /** Positions of the heads of their posting lists, as of the snapshot; 0 for terms without one. */
  readonly lists: readonly number[];
  readonly #reader: TextReader;
  readonly #bound: BoundQuery;
  readonly #entry: EntryTerms;
  readonly #steps: QuerySteps;
  /** Steps of evaluating the parts of the query that were evaluated so far. */
  readonly #stepsOfNode = new Map<BoundNode, number>();

  /** Call before it is checked that a snapshot is current. @param fields numbers of the text fields */
  constructor(
    reader: TextReader,
    bound: BoundQuery,
    { fields, steps }: { readonly fields: ReadonlyMap<string, number>; readonly steps: QuerySteps },
  ) {
    this.#steps = steps;
    this.#reader = reader;
    this.#bound = bound;
    this.numbers = bound.terms.map(({ field, term }) => {
      const number = fields.get(field);
      return number === undefined ? null : reader.numberOf(number, term);
    });
    this.lists = this.numbers.map((number) => (number === null ? 0 : reader.listOf(number)));
    this.#entry = new EntryTerms(soughtTerms(bound, this.numbers, fields));
  }

  /** The score of a slot's record by the whole query, or by a part of it; null when it does not match. */
  scoreOf(slot: number, root: BoundNode = this.#bound.root): number | null {
    this.#steps.take(this.#costOf(root) - 1);
    const address = this.numbers.length === 0 ? 0 : this.#reader.entryOf(slot);
    if (address === 0) this.#entry.clear();
    else this.#entry.read(this.#reader.memory.bytes(address + 1), address);
    return scoreRecord({ root }, this);
  }

  occurrences(term: number): number {
    return this.#entry.occurrences[term] ?? 0;
  }

  length(term: number): number {
    return this.#entry.lengths[term] ?? 0;
  }

  positions(term: number): readonly number[] {
    const positions = this.#entry.positions(term);
    this.#steps.take(STEPS_A_POSITION * positions.length);
    return positions;
  }

  #costOf(node: BoundNode): number {
    let cost = this.#stepsOfNode.get(node);
    if (cost === undefined) {
      cost = stepsOf(node);
      this.#stepsOfNode.set(node, cost);
    }
    return cost;
  }
}

function soughtTerms(
  { terms }: BoundQuery,
  numbers: readonly (number | null)[],
  fields: ReadonlyMap<string, number>,
): SoughtTerms {
  const byField = new Map<number, { term: number; number: number }[]>();
  for (const [number, term] of numbers.entries()) {
    const field = fields.get(terms[number]?.field ?? '');
    if (term === null || field === undefined) continue;
    const list = byField.get(field) ?? [];
    byField.set(field, list);
    list.push({ term, number });
  }
  const sorted = Array.from(byField, ([field, list]) => {
    list.sort((a, b) => a.term - b.term);
    return [
      field,
      {
        terms: Uint32Array.from(list, ({ term }) => term),
        numbers: Uint32Array.from(list, ({ number }) => number),
      },
    ] as const;
  });
  return { byField: new Map(sorted), count: terms.length };
}
