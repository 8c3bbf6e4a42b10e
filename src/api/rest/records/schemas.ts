// Schemas that several data endpoints share.
import {
  METADATA_BYTES_MAX,
  NAMESPACE_NAME_CHARS_MAX,
  RECORD_ID_CHARS_MAX,
  SPARSE_ENTRIES_MAX,
  SPARSE_INDEX_MAX,
} from '../../../domain/limits.ts';
import { Type } from '../../schema/type.ts';

export const RecordId = Type.String({
  minLength: 1,
  maxLength: RECORD_ID_CHARS_MAX,
  description: 'ASCII without NUL.',
  examples: ['movie-1'],
});

export const NamespaceName = Type.String({
  maxLength: NAMESPACE_NAME_CHARS_MAX,
  description: 'ASCII without NUL. Absent, "" and "__default__" name the default namespace.',
  examples: ['films'],
});

export const Values = Type.Array(Type.Number(), {
  description: 'As many numbers as the dimension of the index. Stored as 32-bit floats.',
  examples: [[0.1, 0.2, 0.3]],
});

export const SparseValues = Type.Object(
  {
    indices: Type.Array(Type.Integer({ minimum: 0, maximum: SPARSE_INDEX_MAX }), {
      minItems: 1,
      maxItems: SPARSE_ENTRIES_MAX,
      description: 'Unique.',
    }),
    values: Type.Array(Type.Number(), { minItems: 1, maxItems: SPARSE_ENTRIES_MAX }),
  },
  {
    title: 'SparseValues',
    description:
      'Two lists of the same length. For sparse indexes, and next to values on dense ones. Dense indexes store them ' +
      'whatever their metric, and score them where it is dotproduct.',
    examples: [{ indices: [10, 45], values: [0.5, 0.25] }],
  },
);

export const MetadataValue = Type.Union([
  Type.String(),
  Type.Number(),
  Type.Boolean(),
  Type.Array(Type.String()),
]);

export const Metadata = Type.Record(Type.String(), MetadataValue, {
  title: 'Metadata',
  description: `At most ${METADATA_BYTES_MAX} bytes as JSON. Field names must not start with "$".`,
  examples: [{ genre: 'drama', year: 2020, awarded: true, cast: ['Ada', 'Grace'] }],
});

const RECORD = { id: 'movie-1', values: [0.1, 0.2, 0.3], metadata: { genre: 'drama', year: 2020 } };

export const RecordInput = Type.Object(
  {
    id: RecordId,
    values: Type.Optional(Values),
    sparseValues: Type.Optional(SparseValues),
    metadata: Type.Optional(Metadata),
  },
  { title: 'Record', examples: [RECORD] },
);

export const RecordOutput = Type.Object(
  {
    id: RecordId,
    values: Values,
    sparseValues: Type.Optional(SparseValues),
    metadata: Type.Union([Metadata, Type.Null()]),
  },
  { title: 'StoredRecord', examples: [RECORD] },
);

/** Records by their ids. */
export const RecordsById = Type.Record(Type.String(), RecordOutput, { examples: [{ 'movie-1': RECORD }] });

/** As the caller wrote it. */
export const NamespaceEcho = Type.String({
  description: 'The namespace as the request names it; "" when it names none.',
  examples: ['films'],
});

export const Usage = Type.Object({ readUnits: Type.Integer({ examples: [1] }) }, { title: 'ReadUsage' });

const TOKEN = 'eyJhZnRlciI6Im1vdmllLTEifQ';

export const PageEnd = Type.Optional(
  Type.Object(
    { next: Type.String({ examples: [TOKEN] }) },
    { title: 'NextPage', description: 'Absent on the last page.' },
  ),
);

export const PagingToken = Type.String({
  description: '`pagination.next` of the previous page.',
  examples: [TOKEN],
});

export const Empty = Type.Object({}, { additionalProperties: false, description: 'An empty object.' });

const MetadataSchemaObject = Type.Object(
  { fields: Type.Record(Type.String(), Type.Object({ filterable: Type.Literal(true) })) },
  {
    title: 'NamespaceSchema',
    description: 'The metadata fields that filters can use.',
    examples: [{ fields: { genre: { filterable: true } } }],
  },
);

export const MetadataSchemaInput = Type.Optional(MetadataSchemaObject);

export const NamespaceObject = Type.Object(
  {
    name: Type.String({ examples: ['films'] }),
    record_count: Type.Integer({ examples: [1200] }),
    schema: Type.Optional(MetadataSchemaObject),
    indexed_fields: Type.Object({ fields: Type.Array(Type.String({ examples: ['genre'] })) }),
    size_bytes: Type.Optional(
      Type.String({ description: 'A decimal number.', 'x-since': '2026-07', examples: ['4915200'] }),
    ),
  },
  { title: 'Namespace' },
);

export const NamespacePath = Type.Object({ namespace: NamespaceName });
