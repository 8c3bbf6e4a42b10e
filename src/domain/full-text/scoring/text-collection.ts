// The analyzed texts of some records, with the statistics that scores need: a small inverted index in plain maps.
import type { Token } from '../text-analysis.ts';
import type { FieldStatistics } from './bm25.ts';

/** Record id, then field, then the tokens of its text. */
export type AnalyzedTexts = ReadonlyMap<string, ReadonlyMap<string, readonly Token[]>>;

/** Positions by record, in rising order; equal n-grams of one word repeat its position. */
export type Holders = ReadonlyMap<string, readonly number[]>;

/** One field of all records. */
export interface FieldTexts {
  /** The records that hold a term. */
  readonly holdersOf: (term: string) => Holders;
  /** All terms, in order of their bytes in UTF-8. */
  readonly terms: () => readonly string[];
  /** Tokens of a record's field. */
  readonly lengthOf: (record: string) => number;
  readonly statistics: FieldStatistics;
}

const NO_HOLDERS: Holders = new Map();

export class TextCollection {
  readonly records: readonly string[];
  readonly #texts: AnalyzedTexts;
  readonly #fields = new Map<string, FieldTexts>();

  constructor(texts: AnalyzedTexts) {
    this.records = [...texts.keys()];
    this.#texts = texts;
  }

  field(name: string): FieldTexts {
    const known = this.#fields.get(name) ?? this.#index(name);
    this.#fields.set(name, known);
    return known;
  }

  #index(name: string): FieldTexts {
    const holders = new Map<string, Map<string, number[]>>();
    const lengths = new Map<string, number>();
    let total = 0;
    for (const [record, fields] of this.#texts) {
      const tokens = fields.get(name) ?? [];
      lengths.set(record, tokens.length);
      total += tokens.length;
      for (const token of tokens) addTo(holders, record, token);
    }
    let sorted: readonly string[] | null = null;
    return {
      holdersOf: (term) => holders.get(term) ?? NO_HOLDERS,
      terms: () => {
        sorted ??= [...holders.keys()].sort(compareBytes);
        return sorted;
      },
      lengthOf: (record) => lengths.get(record) ?? 0,
      statistics: { records: this.#texts.size, tokens: total },
    };
  }
}

function addTo(holders: Map<string, Map<string, number[]>>, record: string, { term, position }: Token): void {
  const records = holders.get(term) ?? new Map<string, number[]>();
  const positions = records.get(record) ?? [];
  positions.push(position);
  records.set(record, positions);
  holders.set(term, records);
}

/** The order of the bytes in UTF-8, which is that of code points. */
function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
