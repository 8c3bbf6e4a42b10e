// Schemas that the document endpoints share.

import { QUERY_BYTES_MAX } from '../../../domain/full-text/query-limits.ts';
import {
  DOCUMENT_FIELD_NAME_BYTES_MAX,
  DOCUMENTS_EMBEDDED_MAX,
  DOCUMENTS_MAX,
  RECORD_ID_CHARS_MAX,
} from '../../../domain/limits.ts';
import { type TSchema, Type } from '../../schema/type.ts';
import { MetadataValue, NamespaceName, SparseValues, Values } from '../records/schemas.ts';

export const DocumentId = Type.String({
  minLength: 1,
  maxLength: RECORD_ID_CHARS_MAX,
  description: 'ASCII without NUL.',
  examples: ['recipe-1'],
});

const FieldValue = Type.Union([...MetadataValue.anyOf, Values, SparseValues]);

const EXAMPLE = { _id: 'recipe-1', title: 'Apple pie', text: 'Peel and slice the apples.', minutes: 90 };

export const DocumentInput = Type.Object(
  { _id: DocumentId },
  {
    title: 'Document',
    additionalProperties: FieldValue,
    description:
      'Fields of the schema by their names: lists of numbers for dense_vector, indices and values for sparse_vector, ' +
      'texts for string. Every other field is metadata: a string, number, boolean or list of strings. ' +
      `Field names have at most ${DOCUMENT_FIELD_NAME_BYTES_MAX} bytes and start with neither "_" nor "$".`,
    examples: [EXAMPLE],
  },
);

export const SetFields = Type.Record(Type.String(), MetadataValue, {
  description: 'Metadata fields to set.',
  examples: [{ minutes: 75 }],
});

export const DocumentOutput = Type.Object(
  { _id: DocumentId },
  {
    title: 'StoredDocument',
    additionalProperties: FieldValue,
    description: 'A document as stored, or the requested fields of it.',
    examples: [EXAMPLE],
  },
);

const COUNT = {
  minItems: 1,
  maxItems: DOCUMENTS_MAX,
  description: `At most ${DOCUMENTS_MAX}; ${DOCUMENTS_EMBEDDED_MAX} where the schema embeds texts. Ids are unique.`,
};

export const Documents = Type.Array(DocumentInput, COUNT);

export const DocumentChanges = Type.Array(
  Type.Object(
    {
      _id: DocumentId,
      _remove_fields: Type.Optional(
        Type.Array(Type.String(), { description: 'Names of fields to remove.', examples: [['draft']] }),
      ),
    },
    {
      title: 'DocumentChange',
      additionalProperties: FieldValue,
      description: 'The fields to set; all others stay.',
      examples: [{ _id: 'recipe-1', minutes: 75, _remove_fields: ['draft'] }],
    },
  ),
  COUNT,
);

export const IncludeFields = (absent: string) =>
  Type.Array(Type.String(), {
    description: `Names of fields, or "*" for every stored field. Absent or empty: ${absent}.`,
    examples: [['title']],
  });

export const ReadUsage = Type.Object(
  {
    read_units: Type.Integer({ examples: [1] }),
    egress_bytes: Type.Optional(Type.Integer({ description: 'Bytes of the documents.', examples: [120] })),
    embed_total_tokens: Type.Optional(
      Type.Integer({ description: 'Where a query text was embedded.', examples: [5] }),
    ),
    rerank_units: Type.Optional(Type.Integer({ description: 'With rerank.', examples: [1] })),
  },
  { title: 'DocumentUsage' },
);

export const EmbedUsage = Type.Optional(
  Type.Object(
    { embed_total_tokens: Type.Integer({ examples: [12] }) },
    { title: 'EmbedUsage', description: 'Where texts were embedded.' },
  ),
);

export const NamespaceSegment = Type.Object({ namespace: NamespaceName });

export const ServedNamespace = Type.String({
  description: 'The namespace that served the request.',
  examples: ['recipes'],
});

const clause = (type: string, more: Readonly<Record<string, TSchema>>, description: string) =>
  Type.Object({ type: Type.Literal(type), ...more }, { additionalProperties: false, description });
const query = Type.String({
  minLength: 1,
  description: `At most ${QUERY_BYTES_MAX} bytes.`,
  examples: ['apple pie'],
});
const fields = Type.Optional(Type.Array(Type.String(), { minItems: 1, examples: [['title']] }));
const field = Type.Optional(Type.String({ description: 'In place of fields: one field.' }));
const one = 'Exactly one field';

/** A clause of score_by. */
export const ClauseBody = Type.Union(
  [
    clause(
      'text',
      { field, fields, query },
      'Words of full-text fields; each that a document has adds to its score.',
    ),
    clause(
      'query_string',
      { query },
      'A query in Lucene style: AND, OR, NOT, +, -, "phrases"~2, field:word, word~1, word^2, "phrase pre"*, /regex/.',
    ),
    clause('dense_vector', { field, fields, values: Values }, `${one}, of type dense_vector.`),
    clause('sparse_vector', { field, fields, sparse_values: SparseValues }, `${one}, of type sparse_vector.`),
    clause('embed', { field, fields, query }, `${one}, a string with embed: the query is embedded first.`),
    clause('sparse_embed', { field, fields, query }, `${one}, a string with sparse_embed.`),
  ],
  { title: 'ScoreClause', examples: [{ type: 'text', fields: ['title'], query: 'apple pie' }] },
);

export const DocumentMatch = Type.Object(
  {
    _id: DocumentId,
    _score: Type.Union([Type.Number(), Type.Null()], { description: 'null when it is not finite.' }),
    _group: Type.Optional(
      Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
        description: 'With group_by: its value.',
      }),
    ),
    _highlights: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), {
        description: 'With highlights: the snippets of each field that has any.',
        examples: [{ text: ['Peel and slice the <mark>apples</mark>.'] }],
      }),
    ),
  },
  {
    title: 'DocumentMatch',
    additionalProperties: FieldValue,
    examples: [{ _id: 'recipe-1', _score: 1.38, title: 'Apple pie' }],
  },
);
