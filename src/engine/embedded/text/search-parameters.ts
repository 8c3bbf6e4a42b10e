// The parameters of a search of posting lists, in shared memory where the kernel reads them: clauses, their members, the
// cursors of their lists, and tables of addresses.
import type { FieldStatistics } from '../../../domain/full-text/scoring/bm25.ts';
import * as at from '../kernels/text-lists-constants.ts';
import type { ListSearchLayout } from './list-layout.ts';
import type { ListClause } from './list-plan.ts';
import type { TextReader } from './text-reader.ts';

export interface SearchParametersOptions {
  readonly reader: TextReader;
  readonly layout: ListSearchLayout;
  readonly slotCount: number;
  /** Where a term of the query has its list: null when the segment has never had it. */
  readonly termOf: (term: number) => SegmentTerm | null;
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

export class SearchParameters {
  readonly view: DataView;
  readonly #options: SearchParametersOptions;
  #tablesEnd: number;
  #hasIds = false;
  readonly #lengths = new Map<number, number>();
  /** Tables of the pages of bitmaps, by number of the term. */
  readonly #bitmaps = new Map<number, number>();

  constructor(options: SearchParametersOptions) {
    const { layout, reader } = options;
    this.#options = options;
    this.view = new DataView(reader.memory.words(layout.end).buffer);
    this.#tablesEnd = layout.tables;
    this.write(at.TEXT_SEARCH_CURSORS, layout.cursors);
    this.write(at.TEXT_SEARCH_CLAUSES, layout.clauses);
    this.write(at.TEXT_SEARCH_MEMBERS, layout.members);
    this.write(at.TEXT_SEARCH_HEAD_FRAMES, this.#table(reader.listFrames.heads));
    this.write(at.TEXT_SEARCH_BLOCK_FRAMES, this.#table(reader.listFrames.blocks));
    this.write(at.TEXT_SEARCH_SLOT_COUNT, options.slotCount);
    this.write(at.TEXT_SEARCH_HITS, layout.hits);
    this.write(at.TEXT_SEARCH_HEAP, layout.heap);
    this.write(at.TEXT_SEARCH_SUMS, layout.sums);
    this.write(at.TEXT_SEARCH_ORDER, layout.order);
    this.write(at.TEXT_SEARCH_LOOKUPS, layout.lookups);
  }

  /** Writes a word of the search. @param offset of it, a TEXT_SEARCH constant */
  write(offset: number, value: number): void {
    this.view.setUint32(this.#options.layout.search + offset, value, true);
  }

  /** Writes a cursor to an address of the layout. */
  writeCursor(address: number, { list, field, statistics }: SegmentTerm, weight = 1): void {
    const view = this.view;
    view.setUint32(address + at.CURSOR_LIST, list, true);
    view.setUint32(address + at.CURSOR_LENGTHS, this.#lengthsOf(field), true);
    view.setFloat64(address + at.CURSOR_RECORDS, statistics.records, true);
    view.setFloat64(address + at.CURSOR_TOKENS, statistics.tokens, true);
    view.setFloat32(address + at.CURSOR_WEIGHT, weight, true);
  }

  /** Lets the kernel read ids. */
  writeIds(): void {
    if (this.#hasIds) return;
    const { ids } = this.#options;
    this.write(at.TEXT_SEARCH_SLOT_BLOCKS, this.#table(ids.slotBlocks));
    this.write(at.TEXT_SEARCH_ID_BLOCKS, this.#table(ids.idBlocks));
    this.#hasIds = true;
  }

  /** @returns how many terms there are */
  writeUnion(clauses: readonly ListClause[]): number {
    const known = clauses.flatMap(({ terms: [term], ...clause }) => {
      const own = term === undefined ? null : this.#options.termOf(term.term);
      return own === null ? [] : [{ ...clause, own }];
    });
    const { layout } = this.#options;
    this.#assertSpace(known.length);
    for (const [i, { own, ...clause }] of known.entries()) {
      this.writeCursor(this.#cursorAt(i), own, boundWeight(clause));
      this.writeCursor(this.#cursorAt(known.length + i), own, boundWeight(clause));
      this.#writeClause(i, clause, { first: i, members: 1, cursor: i });
      this.#writeMember(i, i, 0);
      this.view.setUint32(layout.order + 4 * i, i, true);
    }
    this.write(at.TEXT_SEARCH_CLAUSE_COUNT, known.length);
    return known.length;
  }

  /** @returns how many cursors there are; 0 when nothing matches */
  writeConjunction(clauses: readonly ListClause[]): number {
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
      this.writeCursor(this.#cursorAt(cursor), member.own);
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
    this.write(at.TEXT_SEARCH_CLAUSE_COUNT, written);
    this.write(at.TEXT_SEARCH_REQUIRED, required);
    return order.length;
  }

  /** @throws when more would be written than there is memory for: callers look at `termsMax` before */
  #assertSpace(terms: number): void {
    const { terms: termsMax } = this.#options.layout;
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
    const view = this.view;
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
    this.view.setUint32(address, cursor, true);
    this.view.setInt32(address + 4, offset, true);
  }

  #cursorAt(number: number): number {
    return this.#options.layout.cursors + number * at.TEXT_CURSOR_BYTES;
  }

  /** The leading cursor's list is read anyway. */
  #writeBitmap(address: number, { own, cursor, isRequired }: Member): void {
    const pages = isRequired && cursor > 0 ? this.#options.reader.bitmapOf(own.number) : [];
    this.view.setUint32(address + at.CURSOR_PAGE_COUNT, pages.length, true);
    if (pages.length === 0) return;
    const table = this.#bitmaps.get(own.number) ?? this.#table(pages);
    this.#bitmaps.set(own.number, table);
    this.view.setUint32(address + at.CURSOR_PAGES, table, true);
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
}

/** What a clause's saturation is multiplied by for its bound: an f32 that is not lower. */
function boundWeight({ weight, factor }: Pick<ListClause, 'weight' | 'factor'>): number {
  return Math.max(WEIGHT_MIN, weight * factor);
}
