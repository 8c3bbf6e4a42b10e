// The search that asks a question of a judgment set by a configuration, as a client would send it, and its results.
import { Buffer } from 'node:buffer';
import { FAULTS, Fault, type FaultName, invalid } from '../../../domain/faults.ts';
import type { Index } from '../../../domain/index-model.ts';
import { type JsonObject, membersOf, parseOwnJson } from '../../../domain/json.ts';
import { CONFIGURATION_BYTES_MAX, type Question } from '../../../domain/judgments/judgment-set.ts';
import { TOP_K_MAX, TOP_K_MIN } from '../../../domain/limits.ts';
import { namespaceToShown } from '../../../domain/records/record-id.ts';
import type { DataAnswer } from '../../data-request.ts';
import { searchDocuments } from '../documents/search-documents.ts';
import type { InnerSearch } from '../import-export/bulk-endpoint.ts';
import { queryVectors } from '../records/query-vectors.ts';
import { checkInteger, refuseUnknown, requiredObject } from '../records/request-fields.ts';
import { searchRecords } from '../records/search-records.ts';

/** What a configuration may say, by the kind of index; the search itself checks the values. */
export const CONFIGURATION_KEYS = {
  vectors: ['top_k', 'filter', 'recall', 'scan_factor', 'max_candidates', 'fusion', 'match_terms', 'rerank'],
  documents: ['top_k', 'filter', 'recall', 'fusion', 'score_by', 'rerank'],
} as const;

const SUCCESS = 200;
const TOP_K = { min: TOP_K_MIN, max: TOP_K_MAX };

export interface Asked {
  readonly question: Question;
  readonly configuration: JsonObject;
  /** Results that count. */
  readonly k: number;
  /** The stored name of the namespace, or an alias. */
  readonly namespace: string;
}

/** @throws invalid-argument */
export function checkConfiguration(
  value: unknown,
  { documents }: Pick<Index, 'documents'>,
  what: string,
): JsonObject {
  const configuration = requiredObject(value, what);
  refuseUnknown(configuration, CONFIGURATION_KEYS[documents === null ? 'vectors' : 'documents'], what);
  const { top_k: topK, score_by: scoreBy } = configuration;
  if (topK !== undefined) checkInteger(topK, `${what}.top_k`, TOP_K);
  if (scoreBy !== undefined && !Array.isArray(scoreBy))
    throw invalid(`${what}.score_by must be a list of clauses`);
  const bytes = Buffer.byteLength(JSON.stringify(configuration));
  if (bytes > CONFIGURATION_BYTES_MAX)
    throw invalid(`${what} must have at most ${CONFIGURATION_BYTES_MAX} bytes as JSON, got ${bytes}`);
  return configuration;
}

export function searchOf({ documents }: Pick<Index, 'documents'>, asked: Asked): InnerSearch {
  if (documents !== null) return documentSearch(asked);
  const { scan_factor: scanFactor, max_candidates: maxCandidates } = asked.configuration;
  return scanFactor === undefined && maxCandidates === undefined ? recordSearch(asked) : vectorQuery(asked);
}

/** The ids that a search found, best first; not the record itself by which it searched. @throws the search's refusal */
export function foundIds({ status, refusal, body }: DataAnswer, { id: own }: Question): readonly string[] {
  const answer = parseOwnJson<JsonObject>(Buffer.from(body).toString());
  if (status !== SUCCESS) throw refusalOf(answer, refusal);
  const { hits = [] } = membersOf(answer.result);
  const found = listOf(answer.matches ?? hits).map((each) => {
    const { _id, id = _id } = membersOf(each);
    return String(id);
  });
  return found.filter((id) => id !== own);
}

function refusalOf(answer: JsonObject, refusal: FaultName = 'internal'): Fault {
  const { message = membersOf(answer.error).message } = answer;
  return new Fault(refusal, typeof message === 'string' ? message : FAULTS[refusal].message);
}

function recordSearch({ question, configuration, k, namespace }: Asked): InnerSearch {
  const { text, id, vector, sparseVector: sparse } = question;
  const { recall, fusion, match_terms: matchTerms } = configuration;
  const vectors = {
    ...(vector !== undefined && { values: vector }),
    ...(sparse !== undefined && { sparse_indices: sparse.indices, sparse_values: sparse.values }),
  };
  return {
    endpointId: searchRecords.id,
    params: { namespace: namespaceToShown(namespace) },
    body: {
      query: {
        ...(text !== undefined && { inputs: { text } }),
        ...(id !== undefined && { id }),
        ...(text === undefined && id === undefined && { vector: vectors }),
        top_k: topKOf(question, configuration, k),
        ...filterOf(question, configuration),
        ...(recall !== undefined && { recall }),
        ...(fusion !== undefined && { fusion }),
        ...(matchTerms !== undefined && { match_terms: matchTerms }),
      },
      fields: rankFields(configuration),
      ...rerankOf(question, configuration),
    },
  };
}

/** For what only the query of vectors takes. @throws invalid-argument */
function vectorQuery({ question, configuration, k, namespace }: Asked): InnerSearch {
  const { text, id, vector, sparseVector } = question;
  if (text !== undefined || configuration.rerank !== undefined)
    throw invalid('scan_factor and max_candidates are for questions by id or vector, without rerank.');
  const { scan_factor: scanFactor, max_candidates: maxCandidates, recall, fusion } = configuration;
  return {
    endpointId: queryVectors.id,
    params: {},
    body: {
      namespace: namespaceToShown(namespace),
      topK: topKOf(question, configuration, k),
      ...(id !== undefined && { id }),
      ...(vector !== undefined && { vector }),
      ...(sparseVector !== undefined && { sparseVector }),
      ...filterOf(question, configuration),
      ...(recall !== undefined && { recall }),
      ...(fusion !== undefined && { fusion }),
      ...(scanFactor !== undefined && { scanFactor }),
      ...(maxCandidates !== undefined && { maxCandidates }),
    },
  };
}

function documentSearch({ question, configuration, k, namespace }: Asked): InnerSearch {
  const { recall, fusion, score_by: scoreBy = [{ type: 'query_string' }] } = configuration;
  return {
    endpointId: searchDocuments.id,
    params: { namespace: namespaceToShown(namespace) },
    body: {
      score_by: listOf(scoreBy).map((clause) => filledClause(clause, question)),
      top_k: topKOf(question, configuration, k),
      include_fields: rankFields(configuration),
      ...filterOf(question, configuration),
      ...(recall !== undefined && { recall }),
      ...(fusion !== undefined && { fusion }),
      ...rerankOf(question, configuration),
    },
  };
}

/** A clause without a query searches for what the question says. */
function filledClause(clause: unknown, { text, vector, sparseVector }: Question): JsonObject {
  const given = membersOf(clause);
  if (given.type === 'dense_vector') return { values: vector, ...given };
  if (given.type === 'sparse_vector') return { sparse_values: sparseVector, ...given };
  return { query: text, ...given };
}

/** A record by which a search goes is its own first result, which does not count. */
function topKOf({ id }: Question, { top_k: topK }: JsonObject, k: number): number {
  return Math.min(TOP_K_MAX, (typeof topK === 'number' ? topK : k) + (id === undefined ? 0 : 1));
}

function filterOf({ filter: own }: Question, { filter: common }: JsonObject): JsonObject {
  const filters = [own, common].filter((each) => each !== undefined && each !== null);
  if (filters.length === 0) return {};
  return { filter: filters.length === 1 ? filters[0] : { $and: filters } };
}

function rerankOf({ text }: Question, { rerank }: JsonObject): JsonObject {
  if (rerank === undefined) return {};
  return { rerank: { ...(text !== undefined && { query: text }), ...membersOf(rerank) } };
}

/** Results need no fields but those that a reranking model reads. */
function rankFields({ rerank }: JsonObject): readonly unknown[] {
  return listOf(membersOf(rerank).rank_fields ?? []);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
