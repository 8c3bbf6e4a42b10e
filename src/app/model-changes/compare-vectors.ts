// Searches both sets of vectors of an index by the same texts, each by its own model, and compares what they find.
import { requireCurrent } from '../../domain/embedding/current-source.ts';
import { type EmbeddingSlot, embeddingSlots } from '../../domain/embedding/embedding-slots.ts';
import { differingSlots } from '../../domain/embedding/model-change.ts';
import type {
  ComparedQuery,
  ModelComparison,
  QueryComparison,
  SetFigures,
} from '../../domain/embedding/model-change-service.ts';
import { appliedParameters } from '../../domain/embedding/stored-parameters.ts';
import { rankedTextQuery } from '../../domain/full-text/searched-texts.ts';
import { type Index, type IndexProfile, profileOf } from '../../domain/index-model.ts';
import type { Embedding, Inference } from '../../domain/inference/port.ts';
import { meanOf, ndcgOf, overlapOf, rankBiasedOverlap, recallOf } from '../../domain/ranking-figures.ts';
import type { QueryRequest } from '../../engine/port/reader-and-writer.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import { searchStoreByText } from '../records/search-records.ts';

/** Queries that the comparison lists. */
const LISTED_MAX = 20;

export interface CompareParts {
  readonly active: Index;
  readonly standby: Index;
  readonly engine: Pick<VectorStore, 'reader'>;
  readonly inference: Inference;
  readonly signal: AbortSignal;
}

interface Found {
  readonly ids: readonly string[];
  readonly expectedRecall: number;
}

interface Pair {
  readonly query: ComparedQuery;
  readonly answering: Found;
  readonly standby: Found;
}

/**
 * @param queries at least one
 * @throws embedding-changed when another source serves a model than has made the vectors
 */
export async function compareVectors(
  parts: CompareParts,
  queries: readonly ComparedQuery[],
  topK: number,
): Promise<ModelComparison> {
  const [kind] = differingSlots(parts.standby, parts.active);
  const pairs: Pair[] = [];
  for (const query of queries) {
    const answering = await searched(parts, parts.active, { query, topK, kind });
    const standby = await searched(parts, parts.standby, { query, topK, kind });
    pairs.push({ query, answering, standby });
  }
  const compared = pairs.map(
    ({ query, answering: { ids: answering }, standby: { ids: standby } }): QueryComparison => ({
      ...query,
      answering,
      standby,
      overlap: overlapOf(answering, standby),
    }),
  );
  return {
    topK,
    overlap: mean(compared.map(({ overlap }) => overlap)),
    sameFirst: mean(compared.map(({ answering, standby }) => Number(answering[0] === standby[0]))),
    rankBiasedOverlap: mean(compared.map(({ answering, standby }) => rankBiasedOverlap(answering, standby))),
    answering: figuresOf(
      pairs.map(({ query, answering }) => ({ query, found: answering })),
      topK,
    ),
    standby: figuresOf(
      pairs.map(({ query, standby }) => ({ query, found: standby })),
      topK,
    ),
    queries: compared.toSorted((one, other) => one.overlap - other.overlap).slice(0, LISTED_MAX),
  };
}

/** As searches of the index by this text. */
async function searched(
  { engine, inference, signal }: CompareParts,
  index: Index,
  {
    query: { namespace, text },
    topK,
    kind,
  }: { readonly query: ComparedQuery; readonly topK: number; readonly kind: string | undefined },
): Promise<Found> {
  const slot = embeddingSlots(index).find((each) => each.kind === kind);
  if (slot === undefined) throw new Error('both sets of vectors have the same models');
  const embedding = await embedded({ inference, signal, name: index.name }, slot, text);
  const profile = profileOf(index);
  const reader = engine.reader(profile);
  const recalls: number[] = [];
  const query = async (request: QueryRequest) => {
    const { matches, explanation } = await reader.explainQuery(request);
    recalls.push(explanation.expectedRecall);
    return matches;
  };
  const matches = await searchStoreByText(
    { query },
    {
      ...{ namespace, topK, ...targetOf(embedding, text, profile) },
      ...{ filter: null, includeValues: false, includeMetadata: false },
    },
  );
  return { ids: matches.map(({ id }) => id), expectedRecall: Math.min(...recalls) };
}

function targetOf(
  embedding: Embedding,
  text: string,
  profile: IndexProfile,
): Pick<QueryRequest, 'values' | 'sparse' | 'text'> {
  const values = Float32Array.from(embedding.values);
  if (embedding.vectorType === 'dense') return { values, sparse: null };
  const sparse = { indices: embedding.indices, values };
  return { values: null, sparse, text: rankedTextQuery(text, profile) };
}

async function embedded(
  {
    inference,
    signal,
    name,
  }: { readonly inference: Inference; readonly signal: AbortSignal; readonly name: string },
  { embed, dimension }: EmbeddingSlot,
  text: string,
): Promise<Embedding> {
  const { model } = requireCurrent(inference, { name, embed });
  const parameters = appliedParameters(model, embed.readParameters, { path: 'read_parameters', dimension });
  const request = { model, inputs: [text], parameters: { ...parameters, expandsQuery: true } };
  const { embeddings } = await inference.embed(request, { signal });
  const [embedding] = embeddings;
  if (embedding === undefined) throw new Error('the model returned no embedding for a text');
  return embedding;
}

function figuresOf(
  results: readonly { readonly query: ComparedQuery; readonly found: Found }[],
  topK: number,
): SetFigures {
  const judged = results.flatMap(({ query: { relevantIds = [] }, found: { ids } }) =>
    relevantIds.length === 0 ? [] : [{ ids, relevant: new Set(relevantIds) }],
  );
  return {
    expectedRecall: mean(results.map(({ found }) => found.expectedRecall)),
    recall: meanOf(judged.map(({ ids, relevant }) => recallOf(ids, relevant))),
    ndcg: meanOf(
      judged.map(({ ids, relevant }) => ndcgOf(ids, new Map([...relevant].map((id) => [id, 1])), topK)),
    ),
  };
}

function mean(numbers: readonly number[]): number {
  return meanOf(numbers) ?? 1;
}
