// POST /records/namespaces/{namespace}/compare: searches by several configurations, measured by the exact results.
import { EXACT_EFFORT, recallAgainst } from '../../../app/records/exact-recall.ts';
import type { ExplainedMatches, VectorReader } from '../../../app/records/record-access.ts';
import { fault, invalid } from '../../../domain/faults.ts';
import type { Filter } from '../../../domain/filter/grammar.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { isJsonObject, type JsonObject } from '../../../domain/json.ts';
import { COMPARED } from '../../../domain/limits.ts';
import { checkRecordId, namespaceToShown } from '../../../domain/records/record-id.ts';
import { readQueryVectors, type VectorPair, vectorParts } from '../../../domain/records/vector-record.ts';
import type { DataEndpoint } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { documentBody } from '../documents/document-body.ts';
import { DocumentFilterObject } from '../documents/filter-schema.ts';
import { ServedNamespace } from '../documents/schemas.ts';
import { shownMilliseconds } from '../records/explain.ts';
import { bytesOf } from '../records/parse-body.ts';
import { RecallTarget, readRecall } from '../records/recall-target.ts';
import { checkInteger, refuseUnknown } from '../records/request-fields.ts';
import { RecordId, Values } from '../records/schemas.ts';
import { browseCall, readBrowseFilter } from './browse-call.ts';

const KEYS = ['queries', 'configurations', 'top_k', 'filter'] as const;
const TOP_K = { min: 1, max: COMPARED.TOP_K_MAX };

type Configuration = Pick<Parameters<VectorReader['query']>[0], 'effort' | 'recall'>;

const RESULT_EXAMPLE = {
  recall: 1,
  milliseconds: 0.4,
  distances: 820,
  structure: 'graph',
  matches: [{ id: 'movie-1', score: 0.93 }],
};
const SUMMARY_EXAMPLE = { recall: 1, lowest_recall: 1, milliseconds: 0.4, distances: 820 };

const Milliseconds = Type.Number({ minimum: 0, examples: [1.2] });
const Distances = Type.Number({ minimum: 0, description: 'Distances computed.', examples: [820] });
const Recall = Type.Number({
  minimum: 0,
  maximum: 1,
  description: 'The share of the exact results that was found; records as near as the last of them count.',
  examples: [0.98],
});
const Result = Type.Object(
  {
    recall: Recall,
    milliseconds: Milliseconds,
    distances: Distances,
    structure: Type.String({ description: 'How the records were searched.', examples: ['graph'] }),
    matches: Type.Array(Type.Object({ id: RecordId, score: Type.Number() })),
  },
  { title: 'ComparedResult', examples: [RESULT_EXAMPLE] },
);

export const compareSearches: DataEndpoint = {
  ...browseCall('compare'),
  id: 'compare_searches',
  summary: 'Compare configurations of searches',
  description:
    'Runs the same queries with several configurations and exactly, and tells what share of the exact results each ' +
    'finds, how long it takes and how much it computes. Searches by dense vectors, or by the sparse ones of records ' +
    'that have no others. An extension of this server.',
  body: Type.Object(
    {
      queries: Type.Array(
        Type.Object({
          id: Type.Optional(RecordId),
          vector: Type.Optional(Values),
        }),
        {
          minItems: 1,
          maxItems: COMPARED.QUERIES_MAX,
          description: 'Each by the id of a record or a vector.',
        },
      ),
      configurations: Type.Array(
        Type.Object({
          recall: Type.Optional(RecallTarget),
          effort: Type.Optional(
            Type.Number({
              minimum: COMPARED.EFFORT_MIN,
              maximum: COMPARED.EFFORT_MAX,
              description: 'Factor on the usual effort; not beside recall.',
            }),
          ),
        }),
        { minItems: 1, maxItems: COMPARED.CONFIGURATIONS_MAX, description: 'An empty one is the default.' },
      ),
      top_k: Type.Optional(Type.Integer({ minimum: TOP_K.min, maximum: TOP_K.max, default: 10 })),
      filter: Type.Optional(DocumentFilterObject),
    },
    {
      additionalProperties: false,
      examples: [{ queries: [{ id: 'movie-1' }], configurations: [{}, { recall: 0.9 }], top_k: 5 }],
    },
  ),
  success: {
    status: 200,
    description: 'Each configuration as a whole, and query by query.',
    schema: Type.Object(
      {
        configurations: Type.Array(
          Type.Object({
            recall: Recall,
            lowest_recall: Recall,
            milliseconds: Milliseconds,
            distances: Distances,
          }),
          { description: 'Means over the queries, in the order of the request.' },
        ),
        queries: Type.Array(
          Type.Object({
            exact: Result,
            results: Type.Array(Result, { description: 'One for each configuration.' }),
          }),
        ),
        namespace: ServedNamespace,
      },
      {
        examples: [
          {
            configurations: [SUMMARY_EXAMPLE],
            queries: [{ exact: { ...RESULT_EXAMPLE, structure: 'flat' }, results: [RESULT_EXAMPLE] }],
            namespace: 'movies',
          },
        ],
      },
    ),
  },
  faults: [
    'invalid-argument',
    'body-not-json',
    'bad-filter',
    'namespace-not-found',
    'record-not-found',
    'reads-paused',
  ],
  handle: async ({ namespaces, body, params, index, store }) => {
    const { stored: namespace } = namespaces.read(params.namespace);
    const request = documentBody(bytesOf(body), KEYS);
    const filter = readBrowseFilter(request.filter, index);
    const topK = checkInteger(request.top_k ?? 10, 'top_k', TOP_K);
    const configurations = listOf(request.configurations, 'configurations', COMPARED.CONFIGURATIONS_MAX).map(
      readConfiguration,
    );
    // Nothing to find is nothing to measure.
    if ((await store.describeNamespace(namespace)) === null) throw fault('namespace-not-found');
    const queries: object[] = [];
    const results: Compared[][] = configurations.map(() => []);
    for (const given of listOf(request.queries, 'queries', COMPARED.QUERIES_MAX)) {
      const vectors = await vectorsOf(given, { store, namespace, index });
      const search = { ...vectors, namespace, filter, topK };
      const exact = await run(store, search, { effort: EXACT_EFFORT });
      const own: Compared[] = [];
      for (const [at, configuration] of configurations.entries()) {
        const found = await run(store, search, configuration);
        const result = { ...found, recall: recallAgainst(exact.matches, found.matches) };
        results[at]?.push(result);
        own.push(result);
      }
      queries.push({ exact: { ...exact, recall: 1 }, results: own });
    }
    return {
      status: 200,
      body: { configurations: results.map(summaryOf), queries, namespace: namespaceToShown(namespace) },
    };
  },
};

interface Found {
  readonly milliseconds: number;
  readonly distances: number;
  readonly structure: string;
  readonly matches: readonly { readonly id: string; readonly score: number }[];
}

interface Compared extends Found {
  readonly recall: number;
}

interface Search extends VectorPair {
  readonly namespace: string;
  readonly filter: Filter | null;
  readonly topK: number;
}

async function run(store: VectorReader, search: Search, configuration: Configuration): Promise<Found> {
  const found: ExplainedMatches = await store.explainQuery({
    ...{ ...search, ...configuration },
    ...{ includeValues: false, includeMetadata: false },
  });
  const { structure, distances, rowsScored, milliseconds } = found.explanation;
  return {
    milliseconds: shownMilliseconds(milliseconds.total),
    distances: distances + rowsScored,
    structure,
    matches: found.matches.map(({ id, score }) => ({ id, score })),
  };
}

function summaryOf(results: readonly Compared[]): object {
  const mean = (figure: (result: Compared) => number) =>
    results.reduce((sum, result) => sum + figure(result), 0) / results.length;
  return {
    recall: mean(({ recall }) => recall),
    lowest_recall: Math.min(...results.map(({ recall }) => recall)),
    milliseconds: shownMilliseconds(mean(({ milliseconds }) => milliseconds)),
    distances: mean(({ distances }) => distances),
  };
}

/** @throws invalid-argument */
function listOf(given: unknown, name: string, max: number): readonly JsonObject[] {
  if (!Array.isArray(given) || given.length < 1 || given.length > max)
    throw invalid(`${name} must be a list of 1 to ${max} objects`);
  return given.map((each) => {
    if (!isJsonObject(each)) throw invalid(`${name} must be a list of 1 to ${max} objects`);
    return each;
  });
}

/** @throws invalid-argument */
function readConfiguration(given: JsonObject): Configuration {
  refuseUnknown(given, ['recall', 'effort'], 'A configuration');
  const { effort = null } = given;
  if (effort === null) return readRecall(given);
  const { EFFORT_MIN, EFFORT_MAX } = COMPARED;
  if (typeof effort !== 'number' || !(effort >= EFFORT_MIN && effort <= EFFORT_MAX))
    throw invalid(`effort must be a number from ${EFFORT_MIN} to ${EFFORT_MAX}`);
  if (given.recall !== undefined) throw invalid('Give either effort or recall, not both');
  return { effort };
}

/** @throws invalid-argument, record-not-found and the faults of vectors */
async function vectorsOf(
  given: JsonObject,
  {
    store,
    namespace,
    index,
  }: { readonly store: VectorReader; readonly namespace: string; readonly index: IndexProfile },
): Promise<VectorPair> {
  refuseUnknown(given, ['id', 'vector'], 'A query');
  if ((given.id === undefined) === (given.vector === undefined))
    throw invalid('A query has either an id or a vector');
  if (given.id === undefined) {
    const vectors = readQueryVectors(vectorParts(given.vector, undefined), index);
    if (vectors === null) throw invalid('The vector of a query is empty');
    return vectors;
  }
  const id = checkRecordId(given.id);
  const [record] = await store.fetch(namespace, [id]);
  if (record === undefined) throw fault('record-not-found', { id });
  if (record.values === null && record.sparse === null) throw invalid(`Record ${id} has no vector`);
  return { values: record.values, sparse: record.values === null ? record.sparse : null };
}
