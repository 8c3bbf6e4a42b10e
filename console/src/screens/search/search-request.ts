// What the search bench sends: one request for each configuration, for indexes of vectors and of documents.
import type { Index } from '../../api/types.ts';
import { isDocumentIndex, textFieldOf, textFieldsOf } from '../index/index-kind.ts';
import type { Question } from '../judgments/types.ts';
import { type Clause, clauseBody, embeddedFieldsOf } from './clauses.ts';

export type Mode = 'text' | 'vector' | 'id';

/** What is searched for; the same in both configurations. */
export interface Target {
  readonly namespace: string;
  readonly mode: Mode;
  /** The text, the numbers of the vector, or the id. */
  readonly value: string;
  /** Of documents: what else to rank by. */
  readonly clauses: readonly Clause[];
}

export interface Configuration {
  readonly topK: string;
  /** JSON text; empty for none. */
  readonly filter: string;
  /** A reranking model; empty for none. */
  readonly rerank: string;
}

export interface SearchRequest {
  /** Below the address of the index. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export const TOP_K_DEFAULT = 10;
/** Documents whose score by one clause is read. */
const CLAUSE_DOCUMENTS = 1_000;

/** The ways to search the index here; none for documents without a text to search. */
export function modesOf(index: Index): readonly { readonly name: Mode; readonly title: string }[] {
  if (isDocumentIndex(index)) {
    if (textFieldsOf(index).length > 0) return [{ name: 'text', title: 'Words' }];
    return embeddedFieldsOf(index).length > 0 ? [{ name: 'text', title: 'Meaning' }] : [];
  }
  const vector = [
    { name: 'vector', title: 'Vector' },
    { name: 'id', title: 'Id of a record' },
  ] as const;
  return textFieldOf(index) === undefined ? vector : [{ name: 'text', title: 'Text' }, ...vector];
}

/** Why the value cannot be searched for; undefined when it can, and when it is empty. */
export function valueProblem(mode: Mode, value: string): string | undefined {
  if (mode !== 'vector' || value.trim() === '') return undefined;
  const numbers = numbersIn(value);
  return numbers.length === 0 || numbers.some((each) => !Number.isFinite(each))
    ? 'A vector is a list of numbers, as in 0.1, 0.2, 0.3'
    : undefined;
}

/** @throws SyntaxError for a filter that is not JSON */
export function requestOf(index: Index, target: Target, configuration: Configuration): SearchRequest {
  return isDocumentIndex(index)
    ? documentRequest(index, target, configuration)
    : recordRequest(index, target, configuration);
}

function recordRequest(index: Index, target: Target, { topK, filter, rerank }: Configuration): SearchRequest {
  const field = textFieldOf(index);
  const isReranked = rerank !== '' && field !== undefined && target.mode === 'text';
  return {
    path: `records/namespaces/${encodeURIComponent(target.namespace)}/search`,
    body: {
      query: {
        ...queryOf(target),
        top_k: Number(topK) || TOP_K_DEFAULT,
        ...(filter === '' ? {} : { filter: JSON.parse(filter) }),
      },
      ...(isReranked ? { rerank: { model: rerank, rank_fields: [field] } } : {}),
    },
  };
}

function queryOf({ mode, value }: Target): object {
  if (mode === 'text') return { inputs: { text: value } };
  return mode === 'id' ? { id: value } : { vector: { values: numbersIn(value) } };
}

function documentRequest(index: Index, target: Target, { topK, filter }: Configuration): SearchRequest {
  const fields = textFieldsOf(index);
  const clauses = scoredBy(index, target);
  return {
    path: `namespaces/${encodeURIComponent(target.namespace)}/documents/search`,
    body: {
      score_by: clauses,
      top_k: Number(topK) || TOP_K_DEFAULT,
      include_fields: ['*'],
      // Scores of words add up; rankings of different kinds are fused.
      ...(target.clauses.some(({ kind }) => kind === 'meaning') ? { fusion: {} } : {}),
      ...(filter === '' ? {} : { filter: JSON.parse(filter) }),
      ...(fields.length === 0 ? {} : { highlights: { fields, snippets: 2 } }),
    },
  };
}

function scoredBy(index: Index, { value, clauses }: Target): readonly object[] {
  const extra = clauses.filter(({ query }) => query.trim() !== '').map(clauseBody);
  return [mainClause(index, value), ...extra];
}

/** Words where there are full-text fields; else the meaning of the first field with one. */
function mainClause(index: Index, query: string): object {
  const [field] = textFieldsOf(index).length > 0 ? [] : embeddedFieldsOf(index);
  return field === undefined
    ? { type: 'query_string', query }
    : clauseBody({ kind: 'meaning', field, query });
}

/** One search for each clause by itself; none where there is one clause. */
export function clauseRequests(
  index: Index,
  target: Target,
  configuration: Configuration,
): readonly SearchRequest[] {
  const clauses = isDocumentIndex(index) ? scoredBy(index, target) : [];
  if (clauses.length < 2) return [];
  const { path, body } = documentRequest(index, { ...target, clauses: [] }, configuration);
  const { highlights: _, ...rest } = body;
  return clauses.map((clause) => ({
    path,
    body: { ...rest, score_by: [clause], top_k: CLAUSE_DOCUMENTS, include_fields: [] },
  }));
}

/** The query of a comparison with the exact results; null for texts, which models turn into vectors. */
export function comparedQuery({ mode, value }: Target): object | null {
  if (mode === 'text') return null;
  return mode === 'id' ? { id: value } : { vector: numbersIn(value) };
}

/** What a judgment set keeps of a search; undefined before there is something to search for. */
export function judgedQuestion({ mode, value }: Target, { filter }: Configuration): Question | undefined {
  if (value.trim() === '') return undefined;
  const where = filter === '' ? {} : { filter: JSON.parse(filter) as object };
  if (mode === 'vector') return { vector: numbersIn(value), ...where };
  return mode === 'id' ? { id: value, ...where } : { text: value.trim(), ...where };
}

function numbersIn(value: string): readonly number[] {
  return value
    .replaceAll(/[[\]\s]/g, ' ')
    .split(/[ ,;]+/)
    .filter((each) => each !== '')
    .map(Number);
}
