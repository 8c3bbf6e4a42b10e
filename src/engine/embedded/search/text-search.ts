// Search of one segment by a text query: the kernel answers sums of terms and phrases from posting lists; other queries are
// narrowed and bounded by lists, and decided record by record.

import type { QuerySteps } from '../../../domain/full-text/query-steps.ts';
import { roundedScore } from '../../../domain/full-text/scoring/boosted.ts';
import type {
  AnyOf,
  BoundNode,
  BoundPhraseTerm,
  BoundQuery,
} from '../../../domain/full-text/scoring/bound-query.ts';
import { scoreMax } from '../../../domain/full-text/scoring/score-max.ts';
import type { QueryExplain } from '../../../domain/query-explain.ts';
import { bitmaps, intersect, invert, setBits, unite } from '../filters/bitmap.ts';
import { layOutListSearch } from '../text/list-layout.ts';
import { type ListPlan, planLists } from '../text/list-plan.ts';
import { ListSearch } from '../text/list-search.ts';
import { RecordScorer } from '../text/record-scorer.ts';
import { requiredTerms } from '../text/required-terms.ts';
import type { SegmentTerm } from '../text/search-parameters.ts';
import type { SegmentTerms } from '../text/segment-terms.ts';
import { constantScore, isAnyTerm, needsTerm, scoreBounds } from '../text/term-weights.ts';
import { globalSlot, type Selection } from './selection.ts';
import { textCapacity } from './text-needs.ts';
import type { TopK } from './top-k.ts';

export interface TextTarget {
  readonly selection: Selection;
  readonly bound: BoundQuery;
  /** The query's terms in the segment, as of the selection's snapshot. */
  readonly terms: SegmentTerms;
  /** Numbers of the text fields, by name. */
  readonly fields: ReadonlyMap<string, number>;
  readonly steps: QuerySteps;
}

export class TextSearch {
  readonly #selection: Selection;
  readonly #bound: BoundQuery;
  readonly #fields: ReadonlyMap<string, number>;
  readonly #terms: SegmentTerms;
  readonly #lists: ListSearch;
  readonly #records: RecordScorer;
  readonly #steps: QuerySteps;
  /** How many selected slots match, where a search has found out. */
  #matched: number | null = null;

  constructor({ selection, bound, terms, fields, steps }: TextTarget) {
    const { layout, view, workspace, snapshot } = selection;
    if (layout.texts === null) throw new Error('a text search needs memory for posting lists');
    const statistics = new Map(bound.statistics);
    const lists = layOutListSearch(layout.texts.address, layout.texts.size);
    const termOf = (term: number) => this.#termOf(term, statistics);
    this.#selection = selection;
    this.#bound = bound;
    this.#fields = fields;
    this.#terms = terms;
    this.#steps = steps;
    this.#lists = new ListSearch({
      reader: view.texts,
      kernel: workspace.kernel,
      layout: lists,
      selected: selection,
      slotCount: snapshot.slotCount,
      termOf,
      steps,
      ids: view.idTables,
    });
    this.#records = new RecordScorer({
      reader: view.texts,
      lists: this.#lists,
      lookups: lists.lookupCount,
      termOf,
      steps,
    });
  }

  /**
   * Offers the best of the selected slots, with all that tie with the last, to `top`; where more than TIES_MAX have the
   * same score, the oldest ones. Narrows the selection.
   * @param counts whether `count` is called afterwards
   */
  search(top: TopK, explain: QueryExplain | null, counts = false): void {
    const { root } = this.#bound;
    if (explain !== null) explain.textScoreMax = scoreMax(this.#bound);
    const constant = constantScore(root);
    const plan = constant === null ? planLists(root) : null;
    if (plan !== null && this.#hasSpaceFor(plan)) {
      const sink = this.#sink(top);
      this.#countScored(explain, this.#lists.search(plan, sink, counts));
      // All were offered where there is space for more.
      if (plan.kind === 'conjunction') this.#matched = counts ? this.#lists.matched : null;
      else if (top.room > 0) this.#matched = sink.offered;
      return;
    }
    if (!isAnyTerm(root)) this.#narrowToRequired();
    if (constant !== null || !isAnyTerm(root)) this.#narrow();
    if (constant !== null) this.#offerFirst(constant, top);
    else this.#searchBounded(top, explain);
  }

  /** The selected slots that match, as a bitmap from the pool. */
  matching(): Uint32Array {
    const { root } = this.#bound;
    const plan = planLists(root);
    return plan !== null && (plan.kind === 'union' || this.#hasSpaceFor(plan))
      ? copyOf(this.#lists.matches(plan))
      : this.#listed(root);
  }

  /** How many of the selected slots match. Narrows the selection. */
  count(): number {
    if (this.#matched !== null) return this.#matched;
    const { root } = this.#bound;
    const plan = planLists(root);
    if (plan !== null && (plan.kind === 'union' || this.#hasSpaceFor(plan)))
      return this.#holders(plan) ?? this.#lists.count(plan);
    this.#narrow();
    return this.#matched ?? 0;
  }

  /** How many live slots of the snapshot have the only term of a plan, where all of them are selected; else null. */
  #holders({ kind, clauses }: ListPlan): number | null {
    if (kind !== 'union' || this.#selection.isFiltered) return null;
    const terms = new Set(clauses.flatMap((clause) => clause.terms.map(({ term }) => term)));
    const [term = 0] = terms;
    return terms.size === 1 ? (this.#terms.holders[term] ?? 0) : null;
  }

  #sink(top: TopK): Pick<TopK, 'capacity' | 'bound' | 'offer'> & { readonly offered: number } {
    const selection = this.#selection;
    let offered = 0;
    return {
      get offered() {
        return offered;
      },
      capacity: top.capacity,
      get bound() {
        return top.bound;
      },
      offer: (key, slot) => {
        offered++;
        top.offer(key, globalSlot(selection, slot));
      },
    };
  }

  /** Scores the selected slots with the best bounds, as sums of terms give them; then all others that may be among the best. */
  #searchBounded(top: TopK, explain: QueryExplain | null): void {
    const { root } = this.#bound;
    const { weights, constant } = scoreBounds(root);
    this.#prepare(root);
    const score = (slot: number) => {
      this.#countScored(explain, 1);
      const score = this.#records.scoreOf(slot, root);
      if (score !== null) top.offer(score, globalSlot(this.#selection, slot));
    };
    const plan: ListPlan = {
      kind: 'union',
      clauses: Array.from(weights, ([term, weight]) => ({
        kind: 'should',
        terms: [{ term, offset: 0 }],
        weight,
        factor: 1,
      })),
    };
    if (!needsTerm(root) || !this.#hasSpaceFor(plan)) {
      for (const slot of setBits(this.#selection.bitmap, this.#selection.words)) score(slot);
      return;
    }
    const best: { readonly bound: number; readonly slot: number }[] = [];
    const offer = (bound: number, slot: number) => best.push({ bound, slot });
    const capacity = textCapacity(top.capacity);
    this.#lists.search(plan, { capacity, bound: Number.NEGATIVE_INFINITY, offer });
    best.sort((a, b) => b.bound - a.bound);
    const scored = new Set<number>();
    const slack = () => BOUND_SLACK + RELATIVE_SLACK * Math.max(Math.abs(top.bound), constant);
    for (const { bound, slot } of best) {
      if (bound + constant + slack() < top.bound) return;
      scored.add(slot);
      score(slot);
    }
    if (best.length < capacity) return;
    this.#lists.searchAll(plan, top.bound - constant - slack(), {
      offer: (bound, slot) => {
        if (!scored.has(slot) && bound + constant + slack() >= top.bound) score(slot);
      },
    });
  }

  /** Offers all selected slots, which have the same score; the oldest where they are too many to be told apart by their ids. */
  #offerFirst(score: number, top: TopK): void {
    const { bitmap, words } = this.#selection;
    const slotsMax = Math.max(top.capacity, TIES_MAX);
    const slots = setBits(bitmap, words)
      .take(slotsMax + 1)
      .toArray();
    for (const slot of slots.length > slotsMax ? slots.slice(0, top.capacity) : slots)
      top.offer(roundedScore(score), globalSlot(this.#selection, slot));
  }

  /** Keeps the slots that have every term without which no record matches. */
  #narrowToRequired(): void {
    const plan: ListPlan = {
      kind: 'conjunction',
      clauses: Array.from(requiredTerms(this.#bound.root), (term) => ({
        kind: 'must',
        terms: [{ term, offset: 0 }],
        weight: 0,
        factor: 0,
      })),
    };
    if (plan.clauses.length > 0 && this.#hasSpaceFor(plan)) this.#selection.narrow(this.#lists.matches(plan));
  }

  #narrow(): void {
    const matching = this.matching();
    this.#selection.narrow(matching);
    bitmaps.give(matching);
    this.#matched = this.#selection.count();
  }

  #hasSpaceFor({ clauses }: ListPlan): boolean {
    return clauses.reduce((sum, clause) => sum + clause.terms.length, 0) <= this.#lists.termsMax;
  }

  /** Whether its phrase and one more term can be searched for together. */
  #hasSpaceForAny({ phrase }: AnyOf): boolean {
    return phrase.length < this.#lists.termsMax;
  }

  #countScored(explain: QueryExplain | null, count: number): void {
    if (explain !== null) explain.rowsScored += count;
  }

  #termOf(term: number, statistics: ReadonlyMap<string, SegmentTerm['statistics']>): SegmentTerm | null {
    const number = this.#terms.numbers[term] ?? null;
    const name = this.#bound.terms[term]?.field ?? '';
    const field = this.#fields.get(name);
    if (number === null || field === undefined) return null;
    const list = this.#terms.lists[term] ?? 0;
    return { number, list, field, statistics: statistics.get(name) ?? NO_STATISTICS };
  }

  /** The slots that match a node, selected or not. */
  #listed(node: BoundNode): Uint32Array {
    const { slotCount } = this.#selection.snapshot;
    switch (node.kind) {
      case 'none':
        return bitmaps.take(slotCount);
      case 'all':
        return everySlot(slotCount);
      case 'term':
        return this.#sharing([{ term: node.term, offset: 0 }]);
      case 'boost':
        return this.#listed(node.node);
      case 'phrase':
        return this.#confirmed(node, this.#allOf(node.terms));
      case 'anyOf':
        return this.#hasSpaceForAny(node)
          ? copyOf(this.#anyOf(node))
          : this.#confirmed(node, this.#intersected(this.#allOf(node.phrase), this.#sharing(node.lasts)));
      case 'bool':
        return this.#listedBool(node);
    }
  }

  #listedBool({ must, should, mustNot }: Extract<BoundNode, { readonly kind: 'bool' }>): Uint32Array {
    const [first, ...rest] = must;
    let matching: Uint32Array;
    if (first !== undefined) {
      matching = this.#listed(first);
      for (const node of rest) matching = this.#intersected(matching, this.#listed(node));
    } else {
      matching = bitmaps.take(this.#selection.snapshot.slotCount);
      for (const node of should) {
        const other = this.#listed(node);
        unite(matching, other);
        bitmaps.give(other);
      }
    }
    for (const node of mustNot) {
      const other = this.#listed(node);
      invert(other, this.#selection.snapshot.slotCount);
      matching = this.#intersected(matching, other);
    }
    return matching;
  }

  /** The slots that have every term. Terms that are named again are read once, and none when no slot is left. */
  #allOf(terms: readonly BoundPhraseTerm[]): Uint32Array {
    const { slotCount } = this.#selection.snapshot;
    let matching: Uint32Array | null = null;
    for (const term of new Set(terms.map((each) => each.term))) {
      const holders = this.#terms.holders[term] ?? 0;
      this.#steps.take(slotCount / SLOTS_A_STEP + holders / POSTINGS_A_STEP);
      const other = this.#sharing([{ term, offset: 0 }]);
      if (matching === null) {
        matching = other;
        continue;
      }
      const isAnyLeft = intersect(matching, other);
      bitmaps.give(other);
      if (!isAnyLeft) break;
    }
    return matching ?? everySlot(slotCount);
  }

  #intersected(matching: Uint32Array, other: Uint32Array): Uint32Array {
    intersect(matching, other);
    bitmaps.give(other);
    return matching;
  }

  /** Keeps the selected slots that a node really matches. */
  #confirmed(node: BoundNode, matching: Uint32Array): Uint32Array {
    intersect(matching, this.#selection.bitmap);
    for (const slot of setBits(matching, matching.length))
      if (!this.#records.isMatch(slot, node))
        matching[slot >>> 5] = (matching[slot >>> 5] ?? 0) & ~(1 << (slot & 31));
    return matching;
  }

  /**
   * The slots with any of the terms, right after the phrase, for which there is space: a bitmap, valid until the next
   * call.
   */
  #anyOf({ phrase, lasts }: AnyOf): Uint32Array {
    if (phrase.length === 0) return this.#lists.matchingAny(lasts);
    const clause = { kind: 'must', weight: 0, factor: 0 } as const;
    return this.#lists.matches(
      ...lasts.map(
        (last): ListPlan => ({ kind: 'conjunction', clauses: [{ ...clause, terms: [...phrase, last] }] }),
      ),
    );
  }

  /** Finds the slots of what stands for many terms, so that these are not looked up record by record. */
  #prepare(root: BoundNode): void {
    let left = PREPARED_BYTES_MAX;
    for (const node of anyOfIn(root).filter((each) => this.#hasSpaceForAny(each))) {
      left -= this.#selection.words * 4;
      if (left < 0) return;
      this.#records.know(node, Uint32Array.from(this.#anyOf(node)));
    }
  }

  /** The slots that have any of the terms. */
  #sharing(terms: readonly BoundPhraseTerm[]): Uint32Array {
    return copyOf(this.#lists.matchingAny(terms));
  }
}

/** Slots of the same score that are told apart by their ids: docs/decisions/032-text-search.md. */
export const TIES_MAX = 2_000;
/** Slots of bitmaps, and postings, that are read in the time of a step. */
const SLOTS_A_STEP = 256;
const POSTINGS_A_STEP = 8;
/** Bounds are rounded to f32, as scores are, which have 24 bits. */
const BOUND_SLACK = 1e-4;
const RELATIVE_SLACK = 2 ** -22;
/** Of bitmaps of what stands for many terms; the rest is decided term by term. */
const PREPARED_BYTES_MAX = 16 * 2 ** 20;
/** Of fields that give no score: any that make finite bounds. */
const NO_STATISTICS = { records: 1, tokens: 1 };

/** A copy of a bitmap in memory from the pool. */
function copyOf(bitmap: Uint32Array): Uint32Array {
  const copy = bitmaps.take(bitmap.length * 32);
  copy.set(bitmap);
  return copy;
}

function anyOfIn(node: BoundNode): readonly AnyOf[] {
  switch (node.kind) {
    case 'anyOf':
      return [node];
    case 'boost':
      return anyOfIn(node.node);
    case 'bool':
      return [...node.must, ...node.should, ...node.mustNot].flatMap(anyOfIn);
    default:
      return [];
  }
}

function everySlot(slotCount: number): Uint32Array {
  const every = bitmaps.take(slotCount);
  invert(every, slotCount);
  return every;
}
