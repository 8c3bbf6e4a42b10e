// The schema of a 2026-07 create body, and the index that its fields request.
import { invalid } from '../../../domain/faults.ts';
import { DIMENSION_MAX, DIMENSION_MIN } from '../../../domain/limits.ts';
import { METRICS, type VectorShape, vectorShape } from '../../../domain/vector-shape.ts';
import { type Static, Type } from '../../schema/type.ts';
import { choice, mapOf } from './body-parts.ts';
import { missingField } from './deserialize.ts';

const FIELD_NAME_BYTES_MAX = 64;
const FIELD_DESCRIPTION_BYTES_MAX = 256;
const FULL_TEXT_FIELDS_MAX = 100;

/** The names of the fields that the vectors API serves. */
export const DENSE_FIELD = '_values';
export const SPARSE_FIELD = '_sparse_values';

const FullTextSearch = Type.Object(
  {
    language: Type.Optional(Type.String()),
    stemming: Type.Optional(Type.Boolean()),
    stop_words: Type.Optional(Type.Boolean()),
    ngram: Type.Optional(
      Type.Object(
        {
          min_gram: Type.Integer(),
          max_gram: Type.Integer(),
          prefix_only: Type.Optional(Type.Boolean()),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);

const Field = Type.Object(
  {
    type: choice(['dense_vector', 'sparse_vector', 'string']),
    dimension: Type.Optional(Type.Integer({ minimum: DIMENSION_MIN, maximum: DIMENSION_MAX })),
    metric: Type.Optional(choice(METRICS)),
    full_text_search: Type.Optional(FullTextSearch),
    description: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

export const SchemaBody = Type.Object(
  {
    fields: mapOf(
      Field,
      `An index of the vectors API has the field ${DENSE_FIELD} (dense_vector), ${SPARSE_FIELD} (sparse_vector) or both, and no other.`,
    ),
  },
  { additionalProperties: false },
);

type FieldBody = Static<typeof Field>;
type Fields = Static<typeof SchemaBody>['fields'];

/**
 * The vector shape of an index with this schema.
 * @throws invalid-argument for a schema outside the rules, and for document indexes;
 *   body-not-deserializable for a dense vector field without dimension or metric
 */
export function shapeOfSchema({ fields }: Static<typeof SchemaBody>, bodyText: string): VectorShape {
  const names = Object.keys(fields);
  for (const name of names) checkFieldName(name);
  checkKinds(fields);
  for (const [name, field] of Object.entries(fields)) checkField(name, field, bodyText);
  const reserved = names.filter((name) => name === DENSE_FIELD || name === SPARSE_FIELD);
  if (reserved.length === 0) {
    throw invalid(
      `Document indexes, whose schema names fields of your own, are not available in this release of the server. Use ${DENSE_FIELD} or ${SPARSE_FIELD}.`,
    );
  }
  if (reserved.length < names.length) {
    throw invalid(`Field '${reserved[0]}' cannot be combined with fields of other names.`);
  }
  const dense = fields[DENSE_FIELD];
  return dense === undefined
    ? vectorShape({ vectorType: 'sparse' })
    : vectorShape({ dimension: dense.dimension, metric: dense.metric });
}

function checkFieldName(name: string): void {
  if (name === '') throw invalid('Schema field names must not be empty.');
  if (Buffer.byteLength(name) > FIELD_NAME_BYTES_MAX) {
    throw invalid(`Schema field names must be at most ${FIELD_NAME_BYTES_MAX} bytes long.`);
  }
  if (name.startsWith('$')) throw invalid(`Field '${name}': schema field names must not start with '$'.`);
  if (name.startsWith('_') && name !== DENSE_FIELD && name !== SPARSE_FIELD) {
    throw invalid(`Field '${name}': names that start with '_' are reserved.`);
  }
}

function checkKinds(fields: Fields): void {
  const kinds = Object.values(fields).map(searchableKind);
  const countOf = (kind: string): number => kinds.filter((one) => one === kind).length;
  if (kinds.every((kind) => kind === null)) {
    throw invalid(
      'Schema must contain at least one of the following field types: dense_vector, sparse_vector, string with full_text_search',
    );
  }
  if (countOf('dense_vector') > 1) throw invalid('Schema must contain at most one dense_vector field.');
  if (countOf('sparse_vector') > 1) throw invalid('Schema must contain at most one sparse_vector field.');
  if (countOf('string') > FULL_TEXT_FIELDS_MAX) {
    throw invalid(`Schema must contain at most ${FULL_TEXT_FIELDS_MAX} fields with full_text_search.`);
  }
}

function searchableKind({ type, full_text_search: search }: FieldBody): string | null {
  if (type === 'dense_vector' || type === 'sparse_vector') return type;
  return type === 'string' && search !== undefined ? type : null;
}

function checkField(name: string, field: FieldBody, bodyText: string): void {
  const kind = searchableKind(field);
  if (kind === null) {
    const what = field.type === 'string' ? 'string without full_text_search' : field.type;
    throw invalid(`Field '${name}': type ${what} cannot be declared in a schema.`);
  }
  if (name === DENSE_FIELD && kind !== 'dense_vector')
    throw invalid(`Field '${name}' must be a dense_vector.`);
  if (name === SPARSE_FIELD && kind !== 'sparse_vector')
    throw invalid(`Field '${name}' must be a sparse_vector.`);
  if (field.description !== undefined) checkDescription(name, field.description);
  if (kind === 'dense_vector') {
    const missing = (['dimension', 'metric'] as const).find((key) => field[key] === undefined);
    if (missing !== undefined) throw missingField(missing, ['schema', 'fields', name], bodyText);
  } else if (field.dimension !== undefined || field.metric !== undefined) {
    throw invalid(`Field '${name}': dimension and metric belong to dense_vector fields only.`);
  }
}

function checkDescription(name: string, description: string): void {
  if (name === DENSE_FIELD || name === SPARSE_FIELD) throw invalid(`Field '${name}' takes no description.`);
  if (Buffer.byteLength(description) > FIELD_DESCRIPTION_BYTES_MAX) {
    throw invalid(`Field '${name}': description must be at most ${FIELD_DESCRIPTION_BYTES_MAX} bytes long.`);
  }
}
