// The readers' side of a segment's text index: follows its structure, and looks up terms and their posting lists.
import { type Automaton, accepts } from '../../../domain/full-text/automata/automaton.ts';
import type { QuerySteps } from '../../../domain/full-text/query-steps.ts';
import { type Expansion, matchesTerm } from '../../../domain/full-text/scoring/term-matcher.ts';
import { TEXT_LENGTHS_SHIFT } from '../kernels/text-lists-constants.ts';
import type { AcceptedTerms } from './accepted-terms.ts';
import { lengthOfCode } from './field-lengths.ts';
import { BLOCK_BYTES, LISTS_PER_BLOCK, type SharedBytes, TERM_COUNT_AT, TermWord } from './layout.ts';
import { type FieldRun, type MatchVisitor, visitAccepted, visitPrefixed } from './matching-terms.ts';
import type { SortedTermsStructure, TermTable, TextDelta, TextList, TextStructure } from './structure.ts';
import { encodeKey, findEntry, keyAddress, type TermList, termAddress } from './term-table.ts';

/** Steps of a term that is tested by itself. */
const STEPS_A_TERM = 40;
const NO_PAGES: readonly number[] = [];

interface Visiting {
  readonly steps: QuerySteps;
  readonly visitor: (term: string) => void;
}

export class TextReader {
  readonly memory: SharedBytes;
  readonly #seed: number;
  readonly #lists: Readonly<Record<TextList, number[]>> = {
    keys: [],
    terms: [],
    lists: [],
    heads: [],
    blocks: [],
  };
  /** Blocks of lengths, by number of the field. */
  readonly #lengths: number[][] = [];
  /** Pages of the bitmaps of frequent terms, by term. */
  readonly #bitmaps = new Map<number, number[]>();
  #pages = 0;
  readonly #tables: TermTable[] = [];
  readonly #termList: TermList;
  #sorted: SortedTermsStructure = { runs: [], sorted: 0 };
  #statistics = 0;

  constructor(
    memory: SharedBytes,
    { seed, structure = [] }: { readonly seed: number; readonly structure?: TextStructure },
  ) {
    this.memory = memory;
    this.#seed = seed;
    this.#termList = { memory, keys: this.#lists.keys, terms: this.#lists.terms };
    this.apply(structure);
  }

  /** Applies deltas or a snapshot, in the order the writer made them; what is known already does no harm. */
  apply(deltas: TextStructure): void {
    for (const delta of deltas) this.#apply(delta);
  }

  /** The number of a term; null when the segment has never had it. */
  numberOf(field: number, term: string): number | null {
    const key = encodeKey(field, term, this.#seed);
    for (let i = this.#tables.length - 1; i >= 0; i--) {
      const table = this.#tables[i];
      const found = table === undefined ? null : findEntry(table, key, this.#termList).term;
      if (found !== null) return found;
    }
    return null;
  }

  /** How many live records have a term. */
  holdersOf(term: number): number {
    const at = termAddress(this.#lists.terms, term) / 4 + TermWord.Holders;
    return this.memory.words((at + 1) * 4)[at] ?? 0;
  }

  /** Tokens of a field in all live records. */
  tokensOf(field: number): number {
    return this.#statistics === 0 ? 0 : (this.#numbers()[field] ?? 0);
  }

  /** Calls back with terms of a field that a live record has: all that match, or of a prefix at least the first ones. */
  visitMatching(
    field: number,
    expansion: Expansion,
    { steps, visitor, accepted }: Visiting & { readonly accepted: AcceptedTerms },
  ): void {
    if (expansion.kind === 'automaton') {
      this.#accept(field, expansion.automaton, { steps, accepted });
      for (const { text, term } of accepted.terms) if (this.holdersOf(term) > 0) visitor(text);
      return;
    }
    for (const run of this.#sorted.runs)
      this.#visitFirst({ memory: this.memory, run, field }, expansion, visitor);
    this.#visitFrom(field, this.#sorted.sorted, (text, term) => {
      steps.take(STEPS_A_TERM);
      if (matchesTerm(expansion, text) && this.holdersOf(term) > 0) visitor(text);
    });
  }

  /** Adds the terms of a field that an automaton accepts, of those that were not tested before. */
  #accept(
    field: number,
    automaton: Automaton,
    { steps, accepted }: { readonly steps: QuerySteps; readonly accepted: AcceptedTerms },
  ): void {
    const count = this.#termCount;
    const visitor = (text: string, term: number) => accepted.terms.push({ text, term });
    const isFirst = accepted.tested === 0;
    if (isFirst)
      for (const run of this.#sorted.runs)
        visitAccepted({ memory: this.memory, run, field }, automaton, { steps, visitor });
    this.#visitFrom(field, isFirst ? this.#sorted.sorted : accepted.tested, (text, term) => {
      steps.take(STEPS_A_TERM);
      if (accepts(automaton, text)) visitor(text, term);
    });
    accepted.tested = count;
  }

  #visitFirst(
    source: FieldRun,
    { prefix, termsMax }: Extract<Expansion, { readonly kind: 'prefix' }>,
    visitor: (term: string) => void,
  ): void {
    let count = 0;
    visitPrefixed(source, prefix, (text, term) => {
      if (this.holdersOf(term) === 0) return true;
      visitor(text);
      return ++count < termsMax;
    });
  }

  get #termCount(): number {
    return this.#statistics === 0 ? 0 : (this.#numbers()[TERM_COUNT_AT] ?? 0);
  }

  /** Calls back with the terms of a field from a number on. */
  #visitFrom(field: number, first: number, visitor: MatchVisitor): void {
    const count = this.#termCount;
    for (let term = first; term < count; term++) {
      const key = keyAddress(this.#termList, term);
      const bytes = this.memory.bytes(key + 2);
      if (bytes[key + 1] === field)
        visitor(bytes.toString('utf8', key + 2, key + 1 + (bytes[key] ?? 0)), term);
    }
  }

  /** The position of the head of a term's posting list; 0 when it has none. */
  listOf(term: number): number {
    const block = this.#lists.lists[Math.floor(term / LISTS_PER_BLOCK)];
    if (block === undefined) return 0;
    const at = block / 4 + (term % LISTS_PER_BLOCK);
    return Atomics.load(this.memory.words((at + 1) * 4), at);
  }

  /** Addresses of the frames of heads, and of blocks, of posting lists. */
  get listFrames(): { readonly heads: readonly number[]; readonly blocks: readonly number[] } {
    return this.#lists;
  }

  /** Addresses of the pages of a term's bitmap, 0 where a page is missing. */
  bitmapOf(term: number): readonly number[] {
    return this.#bitmaps.get(term) ?? NO_PAGES;
  }

  /** Blocks of the lengths of a field. */
  lengthsOf(field: number): readonly number[] {
    return this.#lengths[field] ?? [];
  }

  /** The length of a field in a slot that has it, as scores are computed with it. */
  lengthIn(field: number, slot: number): number {
    const block = this.#lengths[field]?.[slot >>> TEXT_LENGTHS_SHIFT] ?? 0;
    const at = block + 2 * (slot & ((1 << TEXT_LENGTHS_SHIFT) - 1));
    return lengthOfCode(this.memory.bytes(at + 2).readUInt16LE(at));
  }

  /** Bytes of tables of all that posting lists refer to. */
  get tableBytes(): number {
    const lengths = this.#lengths.reduce((sum, blocks) => sum + blocks.length, 0);
    return 4 * (this.#lists.heads.length + this.#lists.blocks.length + lengths + this.#pages);
  }

  #apply(delta: TextDelta): void {
    switch (delta.kind) {
      case 'statistics':
        this.#statistics = delta.address;
        break;
      case 'list':
        addAddresses(this.#lists[delta.list], delta, delta.list);
        break;
      case 'lengths': {
        const known = this.#lengths[delta.field] ?? [];
        this.#lengths[delta.field] = known;
        addAddresses(known, delta, 'lengths');
        break;
      }
      case 'bitmap':
        this.#addPages(delta);
        break;
      case 'sorted':
        this.#sorted = delta.terms;
        break;
      case 'table':
        this.#tables[delta.number] = delta.table;
        break;
    }
  }

  #addPages({ term, first, addresses }: Extract<TextDelta, { readonly kind: 'bitmap' }>): void {
    const pages = this.#bitmaps.get(term) ?? [];
    this.#bitmaps.set(term, pages);
    this.#pages -= pages.length;
    while (pages.length < first) pages.push(0);
    for (const [at, address] of addresses.entries()) pages[first + at] = address;
    this.#pages += pages.length;
  }

  #numbers(): Float64Array {
    const { buffer } = this.memory.words(this.#statistics + BLOCK_BYTES);
    return new Float64Array(buffer, this.#statistics, BLOCK_BYTES / 8);
  }
}

function addAddresses(
  known: number[],
  { first, addresses }: { readonly first: number; readonly addresses: readonly number[] },
  name: string,
): void {
  if (first > known.length) throw new Error(`parts ${known.length} to ${first} of ${name} are missing`);
  for (const [at, address] of addresses.entries()) known[first + at] = address;
}
