// The tool that searches: by a text, by a vector, or by a stored record, in every kind of index.
import { type Static, Type } from '../../api/schema/type.ts';
import { isJsonObject, type JsonObject, membersOf } from '../../domain/json.ts';
import { fitList, shownFields } from '../fit-answer.ts';
import { HIT_TEXT_CHARS_MAX, SEARCH_TOP_K_DEFAULT, SEARCH_TOP_K_MAX } from '../limits.ts';
import { type Ask, ToolError, type ToolRequest, tool } from '../tool.ts';
import { Filter, IndexName, Namespace } from './arguments.ts';
import { dataPath, documentsPath, findIndex, type KnownIndex, recordsPath } from './index-kind.ts';
import { listOf } from './list-of.ts';
import { recordParts } from './record-parts.ts';
import { type RankedBy, type RerankedHits, rerankedHits } from './rerank-hits.ts';

const RERANK_MODEL = 'bge-reranker-v2-m3';

const Input = Type.Object(
  {
    index: IndexName,
    query: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'What to look for, in words: a question or a description. For indexes of kind text and documents.',
      }),
    ),
    id: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Id of a stored record: finds records like it. For kinds text and vectors, instead of query.',
      }),
    ),
    vector: Type.Optional(
      Type.Array(Type.Number(), {
        description:
          'A vector with as many numbers as the dimension of the index, instead of query. Only if you were given one: never make one up.',
      }),
    ),
    namespace: Namespace,
    top_k: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: SEARCH_TOP_K_MAX,
        description: `Number of hits; default ${SEARCH_TOP_K_DEFAULT}.`,
      }),
    ),
    filter: Filter,
    fields: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Names of the fields to return; default all. Fewer fields leave space for more hits.',
      }),
    ),
    mode: Type.Optional(
      Type.String({
        enum: ['auto', 'words', 'meaning', 'lucene'],
        description:
          'For kind documents. auto (default): by words and by meaning as far as the schema allows, both rankings fused. words: only documents with words of the query. meaning: by embeddings alone. lucene: query is in Lucene syntax, as in title:"apple pie" AND NOT sugar.',
      }),
    ),
    rerank: Type.Optional(
      Type.Boolean({
        description:
          'True: a reranking model reads the hits again and sorts them better, at the cost of some time. For kinds text and documents. Hits without a text field in common stay as found, which a warning says.',
      }),
    ),
  },
  { additionalProperties: false },
);

type Args = Static<typeof Input>;

export const search = tool(
  {
    name: 'search',
    title: 'Search records',
    description:
      'Finds the records of an index that are most similar to a query, best first. Pass the name of the index and a query in words: {"index": "notes", "query": "birds at the water", "top_k": 5, "filter": {"year": {"$gte": 2020}}}. ' +
      'A search covers one namespace; repeat it for others. Hits have id, score and fields. ' +
      `Texts in hits are cut after ${HIT_TEXT_CHARS_MAX} characters; fetch returns whole records. ` +
      'Scores can be compared within one answer only. An empty list means that nothing matches: check the namespace and the filter with describe_index.',
    effect: 'read',
    permission: 'data_plane::vectors::read',
    input: Input,
  },
  async (args, ask) => {
    if ([args.query, args.id, args.vector].filter((each) => each !== undefined).length !== 1) {
      throw new ToolError('Pass exactly one of query, id and vector.');
    }
    const index = await findIndex(args.index, ask);
    const { hits, ...rest } = await find(index, args, ask);
    return fitList('hits', {
      items: hits.map((hit) => hitOf(index, hit, args.fields)),
      rest,
      advice: 'Ask for fewer with top_k, or name the fields that you need with fields.',
    });
  },
);

const AS_FOUND: RankedBy = { field: null, needed: [] };

async function find(index: KnownIndex, args: Args, ask: Ask): Promise<RerankedHits> {
  const request = (by: RankedBy): ToolRequest => requestOf(index, args, by);
  if (args.rerank !== true || index.kind === 'vectors') return { hits: hitsOf(await ask(request(AS_FOUND))) };
  if (args.query === undefined) throw new ToolError('rerank requires query.');
  return rerankedHits({ index, ask, request, hitsOf });
}

function hitsOf({ matches, result }: JsonObject): readonly JsonObject[] {
  return listOf(matches ?? membersOf(result).hits);
}

/** @throws ToolError if the index cannot be searched so */
function requestOf(index: KnownIndex, args: Args, by: RankedBy): ToolRequest {
  switch (index.kind) {
    case 'text':
      return textRequest(index, args, by);
    case 'documents':
      return documentsRequest(index, args, by);
    case 'vectors':
      return vectorsRequest(index, args);
  }
}

function textRequest(index: KnownIndex, args: Args, by: RankedBy): ToolRequest {
  const { query, id, vector, namespace, filter, fields, top_k = SEARCH_TOP_K_DEFAULT } = args;
  const target =
    query !== undefined
      ? { inputs: { text: query } }
      : id !== undefined
        ? { id }
        : { vector: { values: vector } };
  return {
    method: 'POST',
    path: `${recordsPath(index, namespace)}/search`,
    body: {
      query: { ...target, top_k, filter },
      ...(fields !== undefined && { fields: withNeeded(fields, by) }),
      ...rerankOf(by),
    },
  };
}

function vectorsRequest(index: KnownIndex, args: Args): ToolRequest {
  const { query, id, vector, namespace, filter, top_k: topK = SEARCH_TOP_K_DEFAULT, rerank } = args;
  if (query !== undefined || rerank === true) {
    throw new ToolError(
      `Index ${index.name} is of kind vectors: it has no model that reads a text. Pass id to find records like a stored one (list_records shows ids), or vector.`,
    );
  }
  return {
    method: 'POST',
    path: `${dataPath(index)}/query`,
    body: { id, vector, topK, namespace, filter, includeMetadata: true },
  };
}

function documentsRequest(index: KnownIndex, args: Args, by: RankedBy): ToolRequest {
  const { namespace, filter, fields = [], top_k = SEARCH_TOP_K_DEFAULT } = args;
  const clauses = clausesOf(index, args);
  return {
    method: 'POST',
    path: `${documentsPath(index, namespace)}/search`,
    body: {
      score_by: clauses,
      top_k,
      filter,
      include_fields: fields.length === 0 ? ['*'] : withNeeded(fields, by),
      ...(clauses.length > 1 && { fusion: { method: 'rrf' } }),
      ...rerankOf(by, { query: args.query }),
    },
  };
}

function withNeeded(fields: readonly string[], { needed }: RankedBy): readonly string[] {
  return [...new Set([...fields, ...needed])];
}

function rerankOf({ field }: RankedBy, more: JsonObject = {}): JsonObject {
  return field === null ? {} : { rerank: { model: RERANK_MODEL, rank_fields: [field], ...more } };
}

/** The clauses of a search in documents. @throws ToolError if the schema allows none */
function clausesOf(index: KnownIndex, { query, id, vector, mode = 'auto' }: Args): readonly JsonObject[] {
  if (id !== undefined) {
    throw new ToolError('Documents are not searched by id: fetch the document, then search by a text of it.');
  }
  const fields = Object.entries(index.fields);
  if (vector !== undefined) {
    const [field] = fields.find(([, { type }]) => type === 'dense_vector') ?? [];
    if (field === undefined) throw new ToolError(`Index ${index.name} has no field of type dense_vector.`);
    return [{ type: 'dense_vector', field, values: vector }];
  }
  if (mode === 'lucene') return [{ type: 'query_string', query }];
  const worded = fields.filter(([, field]) => isJsonObject(field.full_text_search)).map(([name]) => name);
  const words = worded.length === 0 ? [] : [{ type: 'text', fields: worded, query }];
  const meaning = fields.flatMap(([field, { embed, sparse_embed }]) => [
    ...(isJsonObject(embed) ? [{ type: 'embed', field, query }] : []),
    ...(isJsonObject(sparse_embed) ? [{ type: 'sparse_embed', field, query }] : []),
  ]);
  const clauses = [...(mode === 'meaning' ? [] : words), ...(mode === 'words' ? [] : meaning)];
  if (clauses.length === 0) {
    const other = mode === 'auto' ? 'Pass vector instead of query.' : 'Leave mode out.';
    throw new ToolError(
      `No field of index ${index.name} is searched by ${mode === 'auto' ? 'a text' : mode}. ${other}`,
    );
  }
  return clauses;
}

function hitOf({ kind }: KnownIndex, hit: JsonObject, names: readonly string[] = []): JsonObject {
  const { id, score, fields } = recordParts(kind, hit);
  return { id, score, fields: shownFields(fields, { names, textCharsMax: HIT_TEXT_CHARS_MAX }) };
}
