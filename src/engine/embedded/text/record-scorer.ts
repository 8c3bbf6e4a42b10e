// Scores single records by any query: their terms are looked up in posting lists, one by one.
import type { QuerySteps } from '../../../domain/full-text/query-steps.ts';
import {
  type AnyOf,
  type BoundNode,
  matchesRecord,
  type RecordTerms,
  scoreRecord,
} from '../../../domain/full-text/scoring/bound-query.ts';
import type { ListSearch } from './list-search.ts';
import type { SegmentTerm } from './search-parameters.ts';
import { stepsOf } from './term-weights.ts';
import type { TextReader } from './text-reader.ts';
import { VarintCursor } from './varint.ts';

/** Steps of looking a record up in a posting list, of opening a list for that, and of reading a position of a phrase. */
const STEPS_A_LOOKUP = 20;
const STEPS_AN_OPENING = 40;
const STEPS_A_POSITION = 10;

export interface RecordScorerOptions {
  readonly reader: TextReader;
  readonly lists: ListSearch;
  /** Cursors of `lists` that look slots up. */
  readonly lookups: number;
  /** Where a term of the query has its list: null when the segment has never had it. */
  readonly termOf: (term: number) => SegmentTerm | null;
  readonly steps: QuerySteps;
}

const varints = new VarintCursor();

export class RecordScorer implements RecordTerms {
  readonly #options: RecordScorerOptions;
  readonly #terms = new Map<number, SegmentTerm | null>();
  /** The term of each cursor. */
  readonly #opened: number[] = [];
  readonly #matching = new Map<AnyOf, Uint32Array>();
  /** Steps of evaluating the parts of the query that were evaluated so far. */
  readonly #stepsOfNode = new Map<BoundNode, number>();
  #slot = 0;

  constructor(options: RecordScorerOptions) {
    this.#options = options;
  }

  /** Tells which slots match a node, so that its terms are not looked up. */
  know(node: AnyOf, matching: Uint32Array): void {
    this.#matching.set(node, matching);
  }

  /** The score of a slot's record by a query, or by a part of one; null when it does not match. */
  scoreOf(slot: number, root: BoundNode): number | null {
    this.#begin(slot, root);
    return scoreRecord({ root }, this);
  }

  /** Whether a slot's record matches a query, or a part of one. */
  isMatch(slot: number, root: BoundNode): boolean {
    this.#begin(slot, root);
    return matchesRecord({ root }, this);
  }

  get steps(): QuerySteps {
    return this.#options.steps;
  }

  matches(node: AnyOf): boolean | undefined {
    const matching = this.#matching.get(node);
    if (matching === undefined) return undefined;
    return ((matching[this.#slot >>> 5] ?? 0) >>> (this.#slot & 31)) % 2 === 1;
  }

  occurrences(term: number): number {
    const own = this.#termOf(term);
    return own === null ? 0 : this.#lookUp(this.#cursorOf(term, own));
  }

  length(term: number): number {
    const own = this.#termOf(term);
    return own === null ? 0 : this.#options.reader.lengthIn(own.field, this.#slot);
  }

  positions(term: number): readonly number[] {
    const own = this.#termOf(term);
    if (own === null) return [];
    const { lists, reader, steps } = this.#options;
    const cursor = this.#cursorOf(term, own);
    const count = this.#lookUp(cursor);
    steps.take(STEPS_A_POSITION * count);
    if (count === 0) return [];
    const address = lists.positionsOf(cursor);
    varints.open(reader.memory.bytes(address), address);
    let position = 0;
    return Array.from({ length: count }, () => {
      position += varints.next();
      return position;
    });
  }

  #begin(slot: number, root: BoundNode): void {
    this.#options.steps.take(this.#costOf(root) - 1);
    this.#slot = slot;
  }

  /** @returns how often the record has the term of a cursor. @throws invalid-argument for too many steps */
  #lookUp(cursor: number): number {
    this.#options.steps.take(STEPS_A_LOOKUP);
    return this.#options.lists.occurrencesIn(this.#slot, cursor);
  }

  #termOf(term: number): SegmentTerm | null {
    let own = this.#terms.get(term);
    if (own === undefined) {
      own = this.#options.termOf(term);
      this.#terms.set(term, own);
    }
    return own;
  }

  /** The cursor of a term, opened again if another term had it last. */
  #cursorOf(term: number, own: SegmentTerm): number {
    const { lists, lookups, steps } = this.#options;
    const cursor = term % lookups;
    if (this.#opened[cursor] === term) return cursor;
    steps.take(STEPS_AN_OPENING);
    lists.openLookup(cursor, own);
    this.#opened[cursor] = term;
    return cursor;
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
