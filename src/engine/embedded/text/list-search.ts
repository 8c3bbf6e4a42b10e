// A search of one segment's posting lists by the kernel: has it run the plans of queries, and takes the hits.
import type { QuerySteps } from '../../../domain/full-text/query-steps.ts';
import type { BoundPhraseTerm } from '../../../domain/full-text/scoring/bound-query.ts';
import type { Kernel } from '../kernels/kernel.ts';
import * as at from '../kernels/text-lists-constants.ts';
import type { ScoreSink } from '../sparse/posting-list-source.ts';
import type { ListPlan } from './list-plan.ts';
import { SearchParameters, type SearchParametersOptions, type SegmentTerm } from './search-parameters.ts';

export interface ListSearchOptions extends SearchParametersOptions {
  readonly kernel: Kernel;
  /** A bitmap of the slots that may be found; its address is 0 where all may. */
  readonly selected: { readonly bitmapAddress: number };
  readonly steps: QuerySteps;
}

/** Positions of phrases that the kernel compares in the time of a step. */
const POSITIONS_A_STEP = 4;
const POSITIONS_MAX = 2 ** 31 - 1;

export class ListSearch {
  readonly #options: ListSearchOptions;
  readonly #parameters: SearchParameters;

  constructor(options: ListSearchOptions) {
    this.#options = options;
    this.#parameters = new SearchParameters(options);
  }

  /** Terms of all clauses of a plan, at most. */
  get termsMax(): number {
    return this.#options.layout.terms;
  }

  /**
   * Offers the best of the slots that match, with all that tie with the last of them. Keys are exact scores.
   * @param counts whether a search for a conjunction counts all that match, for `matched`
   * @returns how many were scored. @throws invalid-argument for a phrase that takes too many steps
   */
  search(plan: ListPlan, top: ScoreSink, counts = false): number {
    const capacity = Math.min(top.capacity, this.#options.layout.capacity);
    return this.#run(plan, { top, capacity, counts });
  }

  /** How many slots matched in the last search, if it counted them. */
  get matched(): number {
    return this.#parameters.view.getUint32(this.#options.layout.search + at.TEXT_SEARCH_MATCHED, true);
  }

  /** Offers all slots that match and whose score is at least `least`. @returns how many were scored */
  searchAll(plan: ListPlan, least: number, sink: Pick<ScoreSink, 'offer'>): number {
    return this.#run(plan, { top: { capacity: 0, bound: least, offer: sink.offer }, capacity: 0 });
  }

  /** The slots that match any of the plans, whatever their scores: a bitmap, valid until the next call. */
  matches(...plans: readonly ListPlan[]): Uint32Array {
    const matches = this.#clearMatches();
    for (const plan of plans) {
      if (plan.kind === 'union') for (const { terms } of plan.clauses) this.#mark(terms);
      else this.#run(plan, { top: { capacity: 0, bound: 0, offer: () => {} }, capacity: 0, marks: true });
    }
    return matches;
  }

  /** How many of the slots that may be found match a plan. */
  count(plan: ListPlan): number {
    const { kernel, layout, selected } = this.#options;
    if (plan.kind === 'conjunction') {
      // No score is high enough to be computed.
      const top = { capacity: 0, bound: Number.POSITIVE_INFINITY, offer: () => {} };
      this.#run(plan, { top, capacity: 0, counts: true });
      return this.matched;
    }
    const words = this.matches(plan).length;
    // The lists have slots that may not be found.
    return selected.bitmapAddress === 0
      ? kernel.countBits(layout.matches, words)
      : kernel.intersectBits(layout.matches, selected.bitmapAddress, words);
  }

  /** Opens one of the cursors that look single slots up. */
  openLookup(number: number, term: SegmentTerm): void {
    const { kernel, layout } = this.#options;
    this.#parameters.writeCursor(layout.lookups + number * at.TEXT_CURSOR_BYTES, term);
    kernel.texts.openLookup(layout.search, number);
  }

  /** How often a slot has the term of an opened cursor. */
  occurrencesIn(slot: number, number: number): number {
    const { kernel, layout } = this.#options;
    return kernel.texts.lookUp(layout.search, number, slot);
  }

  /** Address of the positions of the term in the slot that a cursor found last. */
  positionsOf(number: number): number {
    const { kernel, layout } = this.#options;
    return kernel.texts.positions(layout.search, number);
  }

  /** The slots with any of the terms, selected or not: a bitmap, valid until the next call. */
  matchingAny(terms: readonly BoundPhraseTerm[]): Uint32Array {
    const matches = this.#clearMatches();
    this.#mark(terms);
    return matches;
  }

  #clearMatches(): Uint32Array {
    const { layout, reader, slotCount } = this.#options;
    const words = Math.ceil(slotCount / 32);
    return new Uint32Array(reader.memory.words(layout.end).buffer, layout.matches, words).fill(0);
  }

  #mark(terms: readonly BoundPhraseTerm[]): void {
    const { layout, kernel, termOf } = this.#options;
    this.#parameters.write(at.TEXT_SEARCH_MATCHES, layout.matches);
    for (const { term } of terms) {
      const own = termOf(term);
      if (own === null) continue;
      this.#parameters.writeCursor(layout.cursors, own);
      kernel.texts.open(layout.search, 1);
      kernel.texts.mark(layout.search);
    }
  }

  #run(
    plan: ListPlan,
    {
      top,
      capacity,
      marks = false,
      counts = false,
    }: {
      readonly top: ScoreSink;
      readonly capacity: number;
      readonly marks?: boolean;
      readonly counts?: boolean;
    },
  ): number {
    const { layout, kernel, steps, selected } = this.#options;
    const isUnion = plan.kind === 'union';
    const count = isUnion
      ? this.#parameters.writeUnion(plan.clauses)
      : this.#parameters.writeConjunction(plan.clauses);
    this.#parameters.write(at.TEXT_SEARCH_COUNTS, counts ? 1 : 0);
    this.#parameters.write(at.TEXT_SEARCH_MATCHED, 0);
    if (count === 0) return 0;
    const positions = Math.min(POSITIONS_MAX, steps.left * POSITIONS_A_STEP);
    this.#parameters.write(at.TEXT_SEARCH_BITMAP, selected.bitmapAddress);
    this.#parameters.write(at.TEXT_SEARCH_CURSOR_COUNT, count);
    this.#parameters.write(at.TEXT_SEARCH_HIT_COUNT, 0);
    this.#parameters.write(at.TEXT_SEARCH_HEAP_COUNT, 0);
    this.#parameters.write(at.TEXT_SEARCH_CAPACITY, capacity);
    this.#parameters.write(at.TEXT_SEARCH_SCORED, 0);
    this.#parameters.write(at.TEXT_SEARCH_NEXT, 0);
    this.#parameters.write(at.TEXT_SEARCH_POSITIONS_LEFT, positions);
    this.#parameters.write(at.TEXT_SEARCH_MATCHES, marks ? layout.matches : 0);
    this.#parameters.view.setFloat32(layout.search + at.TEXT_SEARCH_LEAST, top.bound, true);
    kernel.texts.open(layout.search, isUnion ? 2 * count : count);
    const proceed = isUnion ? kernel.texts.union : kernel.texts.conjunction;
    for (;;) {
      const result = proceed(layout.search);
      const left = this.#parameters.view.getInt32(layout.search + at.TEXT_SEARCH_POSITIONS_LEFT, true);
      if (result === at.TEXT_TOO_MANY_POSITIONS) steps.take(steps.left + 1);
      this.#takeHits(top, capacity);
      if (result === at.TEXT_FULL) continue;
      steps.take(Math.ceil((positions - left) / POSITIONS_A_STEP));
      return this.#parameters.view.getUint32(layout.search + at.TEXT_SEARCH_SCORED, true);
    }
  }

  /** Where more hits are left than are wanted, those that tie with the last are told apart by their ids. */
  #dropTies(capacity: number): void {
    const { kernel, layout } = this.#options;
    const count = this.#parameters.view.getUint32(layout.search + at.TEXT_SEARCH_HIT_COUNT, true);
    if (capacity === 0 || count <= capacity) return;
    this.#parameters.writeIds();
    kernel.texts.keepFirst(layout.search);
  }

  /** Offers the hits, and lets the search know what it takes to be among the best of all segments. */
  #takeHits(top: ScoreSink, capacity: number): void {
    this.#dropTies(capacity);
    const { search, hits } = this.#options.layout;
    const view = this.#parameters.view;
    const least = view.getFloat32(search + at.TEXT_SEARCH_LEAST, true);
    const end = hits + at.TEXT_HIT_BYTES * view.getUint32(search + at.TEXT_SEARCH_HIT_COUNT, true);
    for (let hit = hits; hit < end; hit += at.TEXT_HIT_BYTES) {
      const score = view.getFloat32(hit + 4, true);
      if (score >= least) top.offer(score, view.getUint32(hit, true));
    }
    this.#parameters.write(at.TEXT_SEARCH_HIT_COUNT, 0);
    if (top.bound > least) view.setFloat32(search + at.TEXT_SEARCH_LEAST, top.bound, true);
  }
}
