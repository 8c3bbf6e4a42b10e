// The texts of one record as terms, for evaluators without an index.
import { analyzerOf } from '../analysis/analyzer.ts';
import type { QuerySteps } from '../query-steps.ts';
import type { TextAnalysis } from '../text-analysis.ts';
import type { BoundQuery, RecordTerms } from './bound-query.ts';

export interface FieldTerms {
  /** In tokens. */
  readonly length: number;
  /** Positions of each term, ascending. */
  readonly terms: ReadonlyMap<string, readonly number[]>;
}

/** By field; without those that the record lacks. */
export type RecordAnalysis = ReadonlyMap<string, FieldTerms>;

/** How many tokens the fields of a record have. */
export function tokensOf(record: RecordAnalysis): number {
  let tokens = 0;
  for (const { length } of record.values()) tokens += length;
  return tokens;
}

/** Analyzes the texts of a record. @param fields the analysis of every field to read */
export function analyzeRecord(
  metadata: Readonly<Record<string, unknown>>,
  fields: ReadonlyMap<string, TextAnalysis>,
): RecordAnalysis {
  const analyzed = new Map<string, FieldTerms>();
  for (const [field, analysis] of fields) {
    const text = Object.hasOwn(metadata, field) ? metadata[field] : undefined;
    if (typeof text === 'string') analyzed.set(field, analyzeText(text, analysis));
  }
  return analyzed;
}

/** The occurrences of a query's terms in an analyzed record. */
export function termsOfRecord(
  { terms }: Pick<BoundQuery, 'terms'>,
  record: RecordAnalysis,
  steps: QuerySteps,
): RecordTerms {
  const positions = (number: number): readonly number[] => {
    const key = terms[number];
    return key === undefined ? [] : (record.get(key.field)?.terms.get(key.term) ?? []);
  };
  return {
    steps,
    positions,
    occurrences: (number) => positions(number).length,
    length: (number) => record.get(terms[number]?.field ?? '')?.length ?? 0,
  };
}

/** The terms of one text. */
export function analyzeText(text: string, analysis: TextAnalysis): FieldTerms {
  const terms = new Map<string, number[]>();
  let length = 0;
  analyzerOf(analysis).visit(text, (term, position) => {
    length++;
    const positions = terms.get(term);
    if (positions === undefined) terms.set(term, [position]);
    else positions.push(position);
  });
  return { length, terms };
}
