// Reads entries of the forward index, as entry-encoder.ts writes them.
import { VarintCursor } from './varint.ts';

/** Receives one field of an entry: its number, and its length in tokens. */
export type FieldVisitor = (field: number, tokens: number) => void;
/** Receives one term of the field last visited, and how often it occurs there. */
export type TermVisitor = (term: number, occurrences: number) => void;

const cursor = new VarintCursor();

/** Visits all fields and terms of the entry at `at`. */
export function visitEntry(
  bytes: Uint8Array,
  at: number,
  visitors: { readonly field: FieldVisitor; readonly term: TermVisitor },
): void {
  cursor.open(bytes, at);
  for (let fields = cursor.next(); fields > 0; fields--) {
    visitors.field(cursor.next(), cursor.next());
    const terms = cursor.next();
    cursor.next();
    let term = 0;
    for (let i = 0; i < terms; i++) {
      term += cursor.next();
      visitors.term(term, cursor.next());
    }
  }
}

/** The terms that a query looks for in one segment: ascending numbers by field. */
export interface SoughtTerms {
  /** By number of the field: numbers of terms in the segment, ascending, and their numbers in the query. */
  readonly byField: ReadonlyMap<number, { readonly terms: Uint32Array; readonly numbers: Uint32Array }>;
  /** Terms of the query. */
  readonly count: number;
}

/** What an entry has of the terms that are sought, by their numbers in the query. */
export class EntryTerms {
  /** 0 for terms that the entry lacks. */
  readonly occurrences: Uint32Array;
  /** Tokens of the field of each term that it has. */
  readonly lengths: Uint32Array;
  readonly #sought: SoughtTerms;
  readonly #cursor = new VarintCursor();
  /** Of the terms found: their order among the field's, as the number of positions before theirs. */
  readonly #skipped: Uint32Array;
  readonly #fieldAt: Uint32Array;
  #bytes: Uint8Array = new Uint8Array();
  #positionsAt = 0;

  constructor(sought: SoughtTerms) {
    this.#sought = sought;
    this.occurrences = new Uint32Array(sought.count);
    this.lengths = new Uint32Array(sought.count);
    this.#skipped = new Uint32Array(sought.count);
    this.#fieldAt = new Uint32Array(sought.count);
  }

  /** Reads the entry at `at`. @returns how many of the terms it has */
  read(bytes: Uint8Array, at: number): number {
    const cursor = this.#cursor;
    this.#bytes = bytes;
    this.occurrences.fill(0);
    cursor.open(bytes, at);
    const fields = cursor.next();
    let found = 0;
    for (let i = 0; i < fields; i++) found += this.#readField(i);
    this.#positionsAt = cursor.at;
    return found;
  }

  /** As for an entry without any of the terms. */
  clear(): void {
    this.occurrences.fill(0);
  }

  /** The positions of a term in the entry that was read last, ascending. */
  positions(number: number): readonly number[] {
    const count = this.occurrences[number] ?? 0;
    if (count === 0) return [];
    const cursor = this.#cursor;
    cursor.open(this.#bytes, this.#positionsAt);
    for (let field = this.#fieldAt[number] ?? 0; field > 0; field--) {
      const bytes = cursor.next();
      cursor.at += bytes;
    }
    cursor.next();
    cursor.skip(this.#skipped[number] ?? 0);
    const positions: number[] = [];
    let position = 0;
    for (let i = 0; i < count; i++) {
      position += cursor.next();
      positions.push(position);
    }
    return positions;
  }

  #readField(index: number): number {
    const cursor = this.#cursor;
    const sought = this.#sought.byField.get(cursor.next());
    const tokens = cursor.next();
    const terms = cursor.next();
    const termBytes = cursor.next();
    const end = cursor.at + termBytes;
    let found = 0;
    if (sought !== undefined) {
      let next = 0;
      let term = 0;
      let before = 0;
      for (let i = 0; i < terms && next < sought.terms.length; i++) {
        term += cursor.next();
        const occurrences = cursor.next();
        while (next < sought.terms.length && (sought.terms[next] ?? 0) < term) next++;
        if (sought.terms[next] === term) {
          const number = sought.numbers[next] ?? 0;
          this.occurrences[number] = occurrences;
          this.lengths[number] = tokens;
          this.#skipped[number] = before;
          this.#fieldAt[number] = index;
          found++;
        }
        before += occurrences;
      }
    }
    cursor.at = end;
    return found;
  }
}
