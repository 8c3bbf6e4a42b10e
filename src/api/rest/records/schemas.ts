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
});

export const NamespaceName = Type.String({
  maxLength: NAMESPACE_NAME_CHARS_MAX,
  description: 'ASCII without NUL. Absent, "" and "__default__" name the default namespace.',
});

export const Values = Type.Array(Type.Number(), {
  description: 'As many numbers as the dimension of the index. Stored as 32-bit floats.',
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
    description:
      'Two lists of the same length. For sparse indexes, and next to values on dense ones. Dense indexes store them ' +
      'whatever their metric, and score them where it is dotproduct.',
  },
);

export const Metadata = Type.Record(
  Type.String(),
  Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Array(Type.String())]),
  { description: `At most ${METADATA_BYTES_MAX} bytes as JSON. Field names must not start with "$".` },
);

export const FilterObject = Type.Record(Type.String(), Type.Unknown(), {
  description: 'A metadata filter.',
});

export const RecordInput = Type.Object({
  id: RecordId,
  values: Type.Optional(Values),
  sparseValues: Type.Optional(SparseValues),
  metadata: Type.Optional(Metadata),
});

export const RecordOutput = Type.Object({
  id: RecordId,
  values: Values,
  sparseValues: Type.Optional(SparseValues),
  metadata: Type.Union([Metadata, Type.Null()]),
});

export const Usage = Type.Object({ readUnits: Type.Integer() });

export const PageEnd = Type.Optional(
  Type.Object({ next: Type.String() }, { description: 'Absent on the last page.' }),
);

export const PagingToken = Type.String({ description: '`pagination.next` of the previous page.' });

export const Empty = Type.Object({});

const MetadataSchemaObject = Type.Object({
  fields: Type.Record(Type.String(), Type.Object({ filterable: Type.Literal(true) })),
});

export const MetadataSchemaInput = Type.Optional(MetadataSchemaObject);

export const NamespaceObject = Type.Object({
  name: Type.String(),
  record_count: Type.Integer(),
  schema: Type.Optional(MetadataSchemaObject),
  indexed_fields: Type.Object({ fields: Type.Array(Type.String()) }),
  size_bytes: Type.Optional(Type.String({ description: 'A decimal number; since 2026-07.' })),
});

export const NamespacePath = Type.Object({ namespace: NamespaceName });
