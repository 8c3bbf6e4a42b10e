// A search of one segment's posting lists by the kernel: writes its clauses and cursors, and takes the hits.
import type { QuerySteps } from '../../../domain/full-text/query-steps.ts';
import type { FieldStatistics } from '../../../domain/full-text/scoring/bm25.ts';
import type { BoundPhraseTerm } from '../../../domain/full-text/scoring/bound-query.ts';
import type { Kernel } from '../kernels/kernel.ts';
import * as at from '../kernels/text-lists-constants.ts';
import type { ScoreSink } from '../sparse/posting-list-source.ts';
import type { ListSearchLayout } from './list-layout.ts';
import type { ListClause, ListPlan } from './list-plan.ts';
import type { TextReader } from './text-reader.ts';

export interface ListSearchOptions {
  readonly reader: TextReader;
  readonly kernel: Kernel;
  readonly layout: ListSearchLayout;
  /** A bitmap of the slots that may be found; its address is 0 where all may. */
  readonly selected: { readonly bitmapAddress: number };
  readonly slotCount: number;
  /** Where a term of the query has its list: null when the segment has never had it. */
  readonly termOf: (term: number) => SegmentTerm | null;
  readonly steps: QuerySteps;
  /** Where the ids of slots lie. */
  readonly ids: IdTables;
}

/** Addresses of the blocks of slots, and of ids. */
export interface IdTables {
  readonly slotBlocks: readonly number[];
  readonly idBlocks: readonly number[];
}

/** A term of a query in a segment. */
export interface SegmentTerm {
  readonly number: number;
  /** Position of the head of its list. */
  readonly list: number;
  /** Number of its field. */
  readonly field: number;
  readonly statistics: FieldStatistics;
}

/** A term of a clause. */
interface Member {
  readonly clause: number;
  readonly offset: number;
  readonly own: SegmentTerm;
  readonly holders: number;
  readonly isRequired: boolean;
  /** Cursors are numbered by rarity, those of required terms first. */
  cursor: number;
}

const KINDS = { must: at.CLAUSE_MUST, should: at.CLAUSE_SHOULD, not: at.CLAUSE_NOT } as const;
/** Bounds must not be 0, which stands for slots without any term. */
const WEIGHT_MIN = 1e-6;
/** Positions of phrases that the kernel compares in the time of a step. */
const POSITIONS_A_STEP = 4;
const POSITIONS_MAX = 2 ** 31 - 1;

export class ListSearch {
  readonly #options: ListSearchOptions;
  readonly #view: DataView;
  #tablesEnd: number;
  #hasIds = false;
  readonly #lengths = new Map<number, number>();
  /** Tables of the pages of bitmaps, by number of the term. */
  readonly #bitmaps = new Map<number, number>();

  constructor(options: ListSearchOptions) {
    const { layout, reader } = options;
    this.#options = options;
    this.#view = new DataView(reader.memory.words(layout.end).buffer);
    this.#tablesEnd = layout.tables;
    this.#write(at.TEXT_SEARCH_CURSORS, layout.cursors);
    this.#write(at.TEXT_SEARCH_CLAUSES, layout.clauses);
    this.#write(at.TEXT_SEARCH_MEMBERS, layout.members);
    this.#write(at.TEXT_SEARCH_HEAD_FRAMES, this.#table(reader.listFrames.heads));
    this.#write(at.TEXT_SEARCH_BLOCK_FRAMES, this.#table(reader.listFrames.blocks));
    this.#write(at.TEXT_SEARCH_SLOT_COUNT, options.slotCount);
    this.#write(at.TEXT_SEARCH_HITS, layout.hits);
    this.#write(at.TEXT_SEARCH_HEAP, layout.heap);
    this.#write(at.TEXT_SEARCH_SUMS, layout.sums);
    this.#write(at.TEXT_SEARCH_ORDER, layout.order);
    this.#write(at.TEXT_SEARCH_LOOKUPS, layout.lookups);
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
    return this.#view.getUint32(this.#options.layout.search + at.TEXT_SEARCH_MATCHED, true);
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
    this.#writeCursor(layout.lookups + number * at.TEXT_CURSOR_BYTES, term);
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
    this.#write(at.TEXT_SEARCH_MATCHES, layout.matches);
    for (const { term } of terms) {
      const own = termOf(term);
      if (own === null) continue;
      this.#writeCursor(layout.cursors, own);
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
    const count = isUnion ? this.#writeUnion(plan.clauses) : this.#writeConjunction(plan.clauses);
    this.#write(at.TEXT_SEARCH_COUNTS, counts ? 1 : 0);
    this.#write(at.TEXT_SEARCH_MATCHED, 0);
    if (count === 0) return 0;
    const positions = Math.min(POSITIONS_MAX, steps.left * POSITIONS_A_STEP);
    this.#write(at.TEXT_SEARCH_BITMAP, selected.bitmapAddress);
    this.#write(at.TEXT_SEARCH_CURSOR_COUNT, count);
    this.#write(at.TEXT_SEARCH_HIT_COUNT, 0);
    this.#write(at.TEXT_SEARCH_HEAP_COUNT, 0);
    this.#write(at.TEXT_SEARCH_CAPACITY, capacity);
    this.#write(at.TEXT_SEARCH_SCORED, 0);
    this.#write(at.TEXT_SEARCH_NEXT, 0);
    this.#write(at.TEXT_SEARCH_POSITIONS_LEFT, positions);
    this.#write(at.TEXT_SEARCH_MATCHES, marks ? layout.matches : 0);
    this.#view.setFloat32(layout.search + at.TEXT_SEARCH_LEAST, top.bound, true);
    kernel.texts.open(layout.search, isUnion ? 2 * count : count);
    const proceed = isUnion ? kernel.texts.union : kernel.texts.conjunction;
    for (;;) {
      const result = proceed(layout.search);
      const left = this.#view.getInt32(layout.search + at.TEXT_SEARCH_POSITIONS_LEFT, true);
      if (result === at.TEXT_TOO_MANY_POSITIONS) steps.take(steps.left + 1);
      this.#takeHits(top, capacity);
      if (result === at.TEXT_FULL) continue;
      steps.take(Math.ceil((positions - left) / POSITIONS_A_STEP));
      return this.#view.getUint32(layout.search + at.TEXT_SEARCH_SCORED, true);
    }
  }

  /** Where more hits are left than are wanted, those that tie with the last are told apart by their ids. */
  #dropTies(capacity: number): void {
    const { kernel, layout, ids } = this.#options;
    const count = this.#view.getUint32(layout.search + at.TEXT_SEARCH_HIT_COUNT, true);
    if (capacity === 0 || count <= capacity) return;
    if (!this.#hasIds) {
      this.#write(at.TEXT_SEARCH_SLOT_BLOCKS, this.#table(ids.slotBlocks));
      this.#write(at.TEXT_SEARCH_ID_BLOCKS, this.#table(ids.idBlocks));
      this.#hasIds = true;
    }
    kernel.texts.keepFirst(layout.search);
  }

  /** Offers the hits, and lets the search know what it takes to be among the best of all segments. */
  #takeHits(top: ScoreSink, capacity: number): void {
    this.#dropTies(capacity);
    const { search, hits } = this.#options.layout;
    const view = this.#view;
    const least = view.getFloat32(search + at.TEXT_SEARCH_LEAST, true);
    const end = hits + at.TEXT_HIT_BYTES * view.getUint32(search + at.TEXT_SEARCH_HIT_COUNT, true);
    for (let hit = hits; hit < end; hit += at.TEXT_HIT_BYTES) {
      const score = view.getFloat32(hit + 4, true);
      if (score >= least) top.offer(score, view.getUint32(hit, true));
    }
    this.#write(at.TEXT_SEARCH_HIT_COUNT, 0);
    if (top.bound > least) view.setFloat32(search + at.TEXT_SEARCH_LEAST, top.bound, true);
  }

  /** @returns how many terms there are */
  #writeUnion(clauses: readonly ListClause[]): number {
    const known = clauses.flatMap(({ terms: [term], ...clause }) => {
      const own = term === undefined ? null : this.#options.termOf(term.term);
      return own === null ? [] : [{ ...clause, own }];
    });
    const { layout } = this.#options;
    this.#assertSpace(known.length);
    for (const [i, { own, ...clause }] of known.entries()) {
      this.#writeCursor(this.#cursorAt(i), own, boundWeight(clause));
      this.#writeCursor(this.#cursorAt(known.length + i), own, boundWeight(clause));
      this.#writeClause(i, clause, { first: i, members: 1, cursor: i });
      this.#writeMember(i, i, 0);
      this.#view.setUint32(layout.order + 4 * i, i, true);
    }
    this.#write(at.TEXT_SEARCH_CLAUSE_COUNT, known.length);
    return known.length;
  }

  /** @returns how many cursors there are; 0 when nothing matches */
  #writeConjunction(clauses: readonly ListClause[]): number {
    const members = this.#membersOf(clauses);
    if (members === null) return 0;
    this.#assertSpace(members.length);
    const order = members.toSorted(
      (a, b) => Number(b.isRequired) - Number(a.isRequired) || a.holders - b.holders,
    );
    let required = 0;
    for (const [cursor, member] of order.entries()) {
      member.cursor = cursor;
      if (member.isRequired) required++;
      this.#writeCursor(this.#cursorAt(cursor), member.own);
      this.#writeBitmap(this.#cursorAt(cursor), member);
    }
    let written = 0;
    let first = 0;
    for (const [number, clause] of clauses.entries()) {
      let end = first;
      let cursor = members.length;
      for (; members[end]?.clause === number; end++) {
        const { cursor: own, offset } = members[end] as Member;
        this.#writeMember(end, own, offset);
        cursor = Math.min(cursor, own);
      }
      if (end === first) continue;
      this.#writeClause(written++, clause, { first, members: end - first, cursor });
      first = end;
    }
    this.#write(at.TEXT_SEARCH_CLAUSE_COUNT, written);
    this.#write(at.TEXT_SEARCH_REQUIRED, required);
    return order.length;
  }

  /** @throws when more would be written than there is memory for: callers look at `termsMax` before */
  #assertSpace(terms: number): void {
    const { termsMax } = this;
    if (terms > termsMax) throw new Error(`a search of ${terms} terms has space for ${termsMax}`);
  }

  /** The terms of all clauses that the segment can match, in the order of these; null when it lacks a required one. */
  #membersOf(clauses: readonly ListClause[]): readonly Member[] | null {
    const { termOf, reader } = this.#options;
    const members: Member[] = [];
    for (const [clause, { kind, terms }] of clauses.entries()) {
      const first = members.length;
      for (const { term, offset } of terms) {
        const own = termOf(term);
        if (own === null) {
          if (kind === 'must') return null;
          members.length = first;
          break;
        }
        const holders = reader.holdersOf(own.number);
        members.push({ clause, offset, own, holders, isRequired: kind === 'must', cursor: 0 });
      }
    }
    return members;
  }

  #writeClause(
    number: number,
    { kind, weight, factor }: Omit<ListClause, 'terms'>,
    place: { readonly first: number; readonly members: number; readonly cursor: number },
  ): void {
    const address = this.#options.layout.clauses + number * at.TEXT_CLAUSE_BYTES;
    const view = this.#view;
    view.setUint32(address + at.CLAUSE_KIND, KINDS[kind], true);
    view.setUint32(address + at.CLAUSE_FIRST, place.first, true);
    view.setUint32(address + at.CLAUSE_MEMBERS, place.members, true);
    view.setUint32(address + at.CLAUSE_BOUND_CURSOR, place.cursor, true);
    view.setFloat32(address + at.CLAUSE_BOUND_WEIGHT, boundWeight({ weight, factor }), true);
    view.setFloat64(address + at.CLAUSE_WEIGHT, weight, true);
    view.setFloat64(address + at.CLAUSE_FACTOR, factor, true);
  }

  #writeMember(number: number, cursor: number, offset: number): void {
    const address = this.#options.layout.members + number * at.TEXT_MEMBER_BYTES;
    this.#view.setUint32(address, cursor, true);
    this.#view.setInt32(address + 4, offset, true);
  }

  #cursorAt(number: number): number {
    return this.#options.layout.cursors + number * at.TEXT_CURSOR_BYTES;
  }

  #writeCursor(address: number, { list, field, statistics }: SegmentTerm, weight = 1): void {
    const view = this.#view;
    view.setUint32(address + at.CURSOR_LIST, list, true);
    view.setUint32(address + at.CURSOR_LENGTHS, this.#lengthsOf(field), true);
    view.setFloat64(address + at.CURSOR_RECORDS, statistics.records, true);
    view.setFloat64(address + at.CURSOR_TOKENS, statistics.tokens, true);
    view.setFloat32(address + at.CURSOR_WEIGHT, weight, true);
  }

  /** The leading cursor's list is read anyway. */
  #writeBitmap(address: number, { own, cursor, isRequired }: Member): void {
    const pages = isRequired && cursor > 0 ? this.#options.reader.bitmapOf(own.number) : [];
    this.#view.setUint32(address + at.CURSOR_PAGE_COUNT, pages.length, true);
    if (pages.length === 0) return;
    const table = this.#bitmaps.get(own.number) ?? this.#table(pages);
    this.#bitmaps.set(own.number, table);
    this.#view.setUint32(address + at.CURSOR_PAGES, table, true);
  }

  #lengthsOf(field: number): number {
    const known = this.#lengths.get(field);
    if (known !== undefined) return known;
    const table = this.#table(this.#options.reader.lengthsOf(field));
    this.#lengths.set(field, table);
    return table;
  }

  /** Writes a table of addresses. @returns its address */
  #table(addresses: readonly number[]): number {
    const { layout, reader } = this.#options;
    const table = this.#tablesEnd;
    this.#tablesEnd += 4 * addresses.length;
    if (this.#tablesEnd > layout.sums) throw new RangeError('the tables of a search are too long');
    reader.memory.words(this.#tablesEnd).set(addresses, table / 4);
    return table;
  }

  #write(offset: number, value: number): void {
    this.#view.setUint32(this.#options.layout.search + offset, value, true);
  }
}

/** What a clause's saturation is multiplied by for its bound: an f32 that is not lower. */
function boundWeight({ weight, factor }: Pick<ListClause, 'weight' | 'factor'>): number {
  return Math.max(WEIGHT_MIN, weight * factor);
}
