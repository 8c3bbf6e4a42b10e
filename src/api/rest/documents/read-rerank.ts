// The rerank part of a document search, an extension of this server: a model ranks the matches again.

import type { DocumentSchema } from '../../../domain/document-schema.ts';
import { invalid } from '../../../domain/faults.ts';
import type { Inference } from '../../../domain/inference/port.ts';
import { type JsonObject, parseOwnJson } from '../../../domain/json.ts';
import type { DataAnswer } from '../../data-request.ts';
import { Type } from '../../schema/type.ts';
import { RerankParameters } from '../inference/schemas.ts';
import { refuseUnknown, requiredObject } from '../records/request-fields.ts';
import {
  boundedReply,
  egressBytes,
  type Rerank,
  type RerankTools,
  readRerank,
  rerankHits,
} from '../records/search-rerank.ts';
import { readIncludeFields } from './include-fields.ts';
import type { ScoreClause } from './score-clauses.ts';

export const RerankBody = Type.Object(
  {
    model: Type.String({ examples: ['bge-reranker-v2-m3'] }),
    rank_fields: Type.Array(Type.String(), {
      minItems: 1,
      description: 'Each must also be listed in include_fields, and present in every match.',
    }),
    top_n: Type.Optional(Type.Integer({ minimum: 1, description: 'Default: all matches.' })),
    query: Type.Optional(
      Type.String({
        description: 'Default: the query of the text, embed and sparse_embed clauses, if it is one.',
      }),
    ),
    parameters: Type.Optional(RerankParameters),
  },
  {
    additionalProperties: false,
    description:
      'An extension of this server: a reranking model ranks the matches again, and its scores replace theirs. Not with ' +
      'group_by.',
    examples: [{ model: 'bge-reranker-v2-m3', rank_fields: ['title'], top_n: 3 }],
  },
);

/** The keys of a search that decide how its matches are ranked again. */
export interface RerankRequest {
  readonly rerank?: unknown;
  readonly include_fields?: unknown;
  readonly group_by?: unknown;
}

/** Null when absent. @throws invalid-argument, unknown-model */
export function readDocumentRerank(
  request: RerankRequest,
  clauses: readonly ScoreClause[],
  { inference, schema }: { readonly inference: Inference; readonly schema: DocumentSchema },
): Rerank | null {
  if (request.rerank === undefined) return null;
  const rerank = requiredObject(request.rerank, 'rerank');
  refuseUnknown(rerank, Object.keys(RerankBody.properties), 'rerank');
  if (request.group_by !== undefined) throw invalid('rerank cannot be combined with group_by');
  const shown = readIncludeFields(request.include_fields, schema, new Set());
  return readRerank(rerank, { inference, text: onlyText(clauses), shown, shownKey: 'include_fields' });
}

/** The text of all clauses that have one; null where there are several. A query string has operators. */
function onlyText(clauses: readonly ScoreClause[]): string | null {
  const texts = new Set(
    clauses.flatMap((clause) => ('query' in clause && clause.type !== 'query_string' ? [clause.query] : [])),
  );
  const [text = null] = texts;
  return texts.size === 1 ? text : null;
}

interface Found {
  readonly matches: readonly (JsonObject & { readonly _score: number | null })[];
  readonly usage: Readonly<Record<string, number>>;
}

/** Reranks the matches of an answer of search_documents. @throws as `rerankHits`; response-too-big */
export async function rerankMatches(
  reply: DataAnswer,
  rerank: Rerank,
  tools: RerankTools,
): Promise<DataAnswer> {
  const found = parseOwnJson<Found>(Buffer.from(reply.body).toString());
  const { hits, units } = await rerankHits(found.matches, rerank, {
    ...tools,
    fieldsOf: (match) => match,
    topKKey: 'top_k',
  });
  const usage = { ...found.usage, rerank_units: units, ...egressBytes(found.usage, hits) };
  return boundedReply(reply, { ...found, matches: hits, usage });
}
