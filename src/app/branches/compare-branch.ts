// Compares what a branch and its source answer to the same queries.
import type {
  BranchComparison,
  BranchQuery,
  ComparedQuery,
  ComparisonRequest,
  MovedResult,
  SideRecall,
} from '../../domain/branches/services.ts';
import { embedTexts } from '../../domain/embedding/embed-field-texts.ts';
import { invalid } from '../../domain/faults.ts';
import { rankedTextQuery } from '../../domain/full-text/searched-texts.ts';
import { type Index, profileOf } from '../../domain/index-model.ts';
import type { Inference } from '../../domain/inference/port.ts';
import { flushDenormals } from '../../domain/records/dense-vector.ts';
import { readQueryVectors, scoresSparse, vectorParts } from '../../domain/records/vector-record.ts';
import type { Match, QueryRequest, VectorReader } from '../../engine/port/reader-and-writer.ts';
import { EXACT_EFFORT, recallAgainst } from '../records/exact-recall.ts';
import { searchStoreByText } from '../records/search-records.ts';

type Target = Pick<QueryRequest, 'values' | 'sparse' | 'text'>;

export interface ComparedSides {
  readonly reader: VectorReader;
  readonly index: Index;
  readonly source: string;
  readonly branch: string;
  readonly inference: Inference;
  readonly signal: AbortSignal;
}

/** @throws invalid-argument; what the model of the index throws */
export async function compareBranch(
  sides: ComparedSides,
  { queries, topK, hasRecall }: ComparisonRequest,
): Promise<BranchComparison> {
  const compared: ComparedQuery[] = [];
  for (const query of queries) {
    sides.signal.throwIfAborted();
    const target = await targetOf(sides, query);
    const search = (namespace: string, effort: Pick<QueryRequest, 'effort'> = {}) =>
      searchStoreByText(sides.reader, {
        ...{ namespace, topK, ...target, ...effort },
        ...{ filter: null, includeValues: false, includeMetadata: false },
      });
    const recallIn = async (namespace: string, found: readonly Match[]) =>
      recallAgainst(await search(namespace, { effort: EXACT_EFFORT }), found);
    const source = await search(sides.source);
    const branch = await search(sides.branch);
    const recall = hasRecall
      ? { source: await recallIn(sides.source, source), branch: await recallIn(sides.branch, branch) }
      : null;
    compared.push({ ...comparedResults(idsOf(source), idsOf(branch)), recall });
  }
  const mean = (figure: (query: ComparedQuery) => number) =>
    compared.reduce((sum, each) => sum + figure(each), 0) / Math.max(1, compared.length);
  const meanRecall = (side: keyof SideRecall) => mean(({ recall }) => recall?.[side] ?? 0);
  return {
    overlap: mean(({ overlap }) => overlap),
    recall: hasRecall ? { source: meanRecall('source'), branch: meanRecall('branch') } : null,
    queries: compared,
  };
}

function idsOf(matches: readonly Match[]): readonly string[] {
  return matches.map(({ id }) => id);
}

/** @param before ids in the order of the source, `after` in that of the branch */
export function comparedResults(
  before: readonly string[],
  after: readonly string[],
): Omit<ComparedQuery, 'recall'> {
  const [places, others] = [placesOf(before), placesOf(after)];
  const moved: MovedResult[] = [];
  for (const id of new Set([...before, ...after])) {
    const [inSource, inBranch] = [places.get(id) ?? null, others.get(id) ?? null];
    if (inSource !== inBranch) moved.push({ id, inSource, inBranch });
  }
  const common = before.filter((id) => others.has(id)).length;
  return { overlap: before.length === 0 ? (after.length === 0 ? 1 : 0) : common / before.length, moved };
}

function placesOf(ids: readonly string[]): ReadonlyMap<string, number> {
  return new Map(ids.map((id, i) => [id, i + 1]));
}

async function targetOf(sides: ComparedSides, { id, vector, text }: BranchQuery): Promise<Target> {
  if (text !== undefined) return textTarget(sides, text);
  if (vector === undefined) return recordTarget(sides, id ?? '');
  const vectors = readQueryVectors(vectorParts(vector, undefined), sides.index);
  if (vectors === null) throw invalid('the vector of a query is empty');
  return vectors;
}

async function recordTarget({ reader, index, source, branch }: ComparedSides, id: string): Promise<Target> {
  const [record] = [...(await reader.fetch(source, [id])), ...(await reader.fetch(branch, [id]))];
  if (record === undefined) throw invalid(`neither the branch nor its source has a record '${id}'`);
  const isSparse = record.values === null;
  if (isSparse && record.sparse === null) throw invalid(`record '${id}' has no vectors to search by`);
  return { values: record.values, sparse: isSparse || scoresSparse(index) ? record.sparse : null };
}

/** As searches of the index by a text. */
async function textTarget({ index, inference, signal }: ComparedSides, text: string): Promise<Target> {
  const { embed, dimension } = index;
  if (embed === null) throw invalid('a query by text is for an index that was made for a model');
  const request = { texts: [text], embed, dimension, use: 'read_parameters' } as const;
  const [embedding] = (await embedTexts({ index, inference, signal }, request)).embeddings;
  if (embedding === undefined) throw new Error('the model returned no embedding for a text');
  if (embedding.vectorType === 'dense') return { values: flushDenormals(embedding.values), sparse: null };
  const { indices, values } = embedding;
  if (indices.length === 0) throw invalid('the text of a query holds no word that could be searched for');
  const sparse = { indices, values: flushDenormals(values) };
  return { values: null, sparse, text: rankedTextQuery(text, profileOf(index)) };
}
