// What the clauses of a document search look for, as the engine takes it.
import type { QueryRequest } from '../../../app/records/record-access.ts';
import { textFieldsOf } from '../../../domain/document-schema.ts';
import { QueryBudget } from '../../../domain/full-text/query-budget.ts';
import { queryOfString } from '../../../domain/full-text/query-string/query-string.ts';
import { sumOfClauses } from '../../../domain/full-text/sum-of-clauses.ts';
import type { TextAnalysis } from '../../../domain/full-text/text-analysis.ts';
import { queryOfText } from '../../../domain/full-text/text-clause.ts';
import type { TextQuery } from '../../../domain/full-text/text-query.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { readQuerySparse, readQueryValues } from '../../../domain/records/document-query-vectors.ts';
import { schemaOf } from './documents-endpoint.ts';
import { isTextClause, type ScoreClause, type TextClause } from './score-clauses.ts';
import type { VectorLists } from './vector-lists.ts';

/** What messages call the vectors of clauses. */
const VALUES = 'score_by: the values of dense_vector';
const SPARSE = 'score_by: sparse_vector requires sparse_values';

/** Exactly one of the three is set. */
export type SearchTarget = Pick<QueryRequest, 'values' | 'sparse'> & Required<Pick<QueryRequest, 'text'>>;

/**
 * The targets of clauses: one for each where they are fused, else one for all.
 * @throws invalid-argument, dimension-mismatch, empty-sparse-vector
 */
export function targetsOf(
  clauses: readonly ScoreClause[],
  index: IndexProfile,
  { vectors, areFused }: { readonly vectors: VectorLists; readonly areFused: boolean },
): readonly SearchTarget[] {
  const texts = clauses.filter(isTextClause);
  const search: Search = { index, vectors, budget: new QueryBudget() };
  const combined = areFused || texts.length === 0 ? [] : [textTarget(texts, search)];
  const single = areFused ? clauses : clauses.filter((clause) => !isTextClause(clause));
  return [...combined, ...single.map((clause) => targetOf(clause, search))];
}

/** What the clauses of one search share. */
interface Search {
  readonly index: IndexProfile;
  readonly vectors: VectorLists;
  readonly budget: QueryBudget;
}

function targetOf(clause: ScoreClause, search: Search): SearchTarget {
  const { index, vectors } = search;
  switch (clause.type) {
    case 'text':
    case 'query_string':
      return textTarget([clause], search);
    case 'dense_vector':
      return { values: readQueryValues(clause.values, index, VALUES), sparse: null, text: null };
    case 'sparse_vector':
      return { values: null, sparse: readQuerySparse(clause.sparseValues, SPARSE), text: null };
    case 'embed':
      return { values: vectors.takeDense(), sparse: null, text: null };
    case 'sparse_embed':
      return { values: null, sparse: vectors.takeSparse(), text: null };
  }
}

function textTarget(clauses: readonly TextClause[], { index, budget }: Search): SearchTarget {
  const fields = textFieldsOf(schemaOf(index));
  const text = sumOfClauses(clauses.map((clause) => queryOf(clause, fields, budget)));
  return { values: null, sparse: null, text };
}

/** @throws invalid-argument for a query string outside its grammar, and for too many terms */
function queryOf(
  clause: TextClause,
  fields: ReadonlyMap<string, TextAnalysis>,
  budget: QueryBudget,
): TextQuery {
  if (clause.type === 'query_string') return queryOfString(clause.query, fields, budget);
  const named = [...fields].filter(([name]) => clause.fields.includes(name));
  return queryOfText(clause.query, new Map(named), budget);
}
