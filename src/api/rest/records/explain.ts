// The explanation of a search, for requests that ask for it by header: what is counted, and how the answer shows it.

import {
  type ExplainedMatches,
  type Match,
  type QueryRequest,
  queryAndCount,
  readerOver,
  type VectorReader,
} from '../../../app/records/record-access.ts';
import {
  QUERY_STAGES,
  QUERY_STRUCTURES,
  QueryExplain,
  type QueryExplanation,
} from '../../../domain/query-explain.ts';
import type { DataReply } from '../../endpoint.ts';
import { type TSchema, Type } from '../../schema/type.ts';
import { RECALL_HEADER, RecallTarget } from './recall-target.ts';

/** Request header; the value `true` asks for the explanation. A header of this service's own. */
export const EXPLAIN_HEADER = 'x-pinyon-explain';

/** Endpoints that explain themselves, and how they spell names. */
const SPELLINGS: Readonly<Record<string, (name: string) => string>> = {
  query_vectors: (name) => name,
  search_records: snakeCase,
  search_documents: snakeCase,
};

export const searchHeaders = Type.Object({
  [EXPLAIN_HEADER]: Type.Optional(
    Type.String({
      description: '`true` adds the field explain to the answer: what the search did.',
      default: 'false',
    }),
  ),
  [RECALL_HEADER]: Type.Optional(RecallTarget),
});

const MILLISECONDS_DIGITS = 3;

type Shares =
  | 'expectedRecall'
  | 'promisedRecall'
  | 'auditedRecall'
  | 'auditedRecallLow'
  | 'auditedRecallHigh'
  | 'textScoreMax';

const Share = Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()]);

const COUNTERS: Readonly<
  Record<Exclude<keyof QueryExplanation, 'structure' | 'milliseconds' | Shares>, string>
> = {
  nodesVisited: 'Graph nodes that were expanded. Like all sums, over all tries.',
  distances: 'Distances computed from quantized vectors, in graph searches and scans.',
  rowsScored: 'Records whose score was computed exactly.',
  matched: 'Records that passed the filter; without a filter, all of the namespace.',
  live: 'Records of the namespace.',
  unindexed: 'Unindexed slots (not in the graph yet) that were scanned; 0 without a graph.',
  tail: 'Deprecated: the same as unindexed.',
  effort:
    'The factor on the usual effort that searches of this graph have been found to need: 1, 2, 4 and so on.',
  tries: 'More than 1 when writes overtook the search, and it started anew.',
};
const SHARES: Readonly<Record<Shares, TSchema>> = {
  expectedRecall: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'The share of the true best to expect among the results; 1 where the search is exact.',
    examples: [0.99],
  }),
  promisedRecall: Type.Union(Share.anyOf, {
    description: 'The recall that the request or else the index promises; null for the usual one.',
    examples: [0.99],
  }),
  auditedRecall: Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()], {
    description: 'What audits of such searches have shown lately; null where there were too few.',
    examples: [0.996],
  }),
  auditedRecallLow: Type.Union(Share.anyOf, {
    description: 'The lower bound of the 95 % interval of what the audits have shown.',
    examples: [0.993],
  }),
  auditedRecallHigh: Type.Union(Share.anyOf, {
    description: 'The upper bound of that interval.',
    examples: [0.999],
  }),
  textScoreMax: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
    description:
      'The score of a record that had every word of a text query without end, each in one field: shares of weighted fusion are of it. Null for other queries.',
    examples: [21.5],
  }),
};
const STAGES: Readonly<Record<keyof QueryExplanation['milliseconds'], string>> = {
  wait: 'Waiting for the namespace to be loaded, and between tries.',
  filter: 'Finding the records that may be results.',
  search: 'Searching the graph and scanning.',
  rescore: 'Exact scores of the best candidates.',
  fetch: "Reading the results' records.",
  total: 'Of the search as a whole; reading the request and writing the answer are not in it.',
};

/** The field `explain` of an answer. */
export function explainSchema(endpointId: string): TSchema {
  const spell = SPELLINGS[endpointId] ?? snakeCase;
  const milliseconds = Object.entries(STAGES).map(([stage, description]) => [
    stage,
    Type.Number({ minimum: 0, description, examples: [0.25] }),
  ]);
  const counters = Object.entries(COUNTERS).map(([name, description]) => [
    spell(name),
    Type.Integer({ minimum: 0, description, examples: [1] }),
  ]);
  const members = {
    structure: Type.String({ enum: [...QUERY_STRUCTURES] }),
    ...Object.fromEntries(counters),
    ...Object.fromEntries(Object.entries(SHARES).map(([name, schema]) => [spell(name), schema])),
    milliseconds: Type.Object(Object.fromEntries(milliseconds)),
  };
  return Type.Object(
    {
      ...members,
      rankings: Type.Optional(
        Type.Array(Type.Object(members), {
          description:
            'Where there were several rankings, to be fused or grouped: each of them, in the order in which they ' +
            'began. The fields beside are those of the last.',
        }),
      ),
    },
    {
      title: endpointId === 'query_vectors' ? 'QueryExplanation' : 'SearchExplanation',
      description: `Only for requests with the header \`${EXPLAIN_HEADER}: true\`.`,
    },
  );
}

/** True for endpoints that search. */
export function canExplain(endpointId: string): boolean {
  return endpointId in SPELLINGS;
}

/** The reader, telling what each of its queries did; that nothing was searched as long as there was none. */
export function explainQueries(reader: VectorReader): {
  readonly reader: VectorReader;
  /** In the order in which they began; at least one. */
  readonly explanations: () => readonly QueryExplanation[];
} {
  const made: QueryExplanation[] = [];
  let begun = 0;
  const explainQuery = async (request: QueryRequest): Promise<ExplainedMatches> => {
    const number = begun++;
    const explained = await reader.explainQuery(request);
    made[number] = explained.explanation;
    return explained;
  };
  const query = async (request: QueryRequest): Promise<readonly Match[]> =>
    (await explainQuery(request)).matches;
  return {
    explanations: () => (made.length === 0 ? [new QueryExplain().finish()] : made),
    reader: readerOver(reader, {
      query,
      explainQuery,
      countedQuery: (request) => queryAndCount({ query, count: reader.count.bind(reader) }, request),
    }),
  };
}

/** The answer with the field `explain` at its end. */
export function withExplanation(
  endpointId: string,
  reply: DataReply,
  explanations: readonly QueryExplanation[],
): DataReply {
  const each = explanations.map((one) => shown(one, SPELLINGS[endpointId] ?? snakeCase));
  return { ...reply, explanation: { ...each.at(-1), ...(each.length > 1 && { rankings: each }) } };
}

/** As answers show it: rounded to microseconds. */
export function shownMilliseconds(milliseconds: number): number {
  return Number(milliseconds.toFixed(MILLISECONDS_DIGITS));
}

function shown({ milliseconds, ...counters }: QueryExplanation, spell: (name: string) => string): object {
  const rounded = [...QUERY_STAGES, 'total' as const].map((stage) => [
    stage,
    shownMilliseconds(milliseconds[stage]),
  ]);
  return {
    ...Object.fromEntries(Object.entries(counters).map(([name, value]) => [spell(name), value])),
    milliseconds: Object.fromEntries(rounded),
  };
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
