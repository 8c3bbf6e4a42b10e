// The schema of a 2026-07 create body, and the kind of index that its fields request.
import { invalid } from '../../../domain/faults.ts';
import { type VectorShape, vectorShape } from '../../../domain/vector-shape.ts';
import { type Static, Type } from '../../schema/type.ts';
import { mapOf } from './body-parts.ts';
import { missingField } from './deserialize.ts';
import { documentSchema, refuseTextKeys } from './document-fields.ts';
import {
  type FieldBodies,
  type FieldBody,
  FieldBodySchema,
  type RequestedSchema,
  type SchemaContext,
} from './field-body.ts';
import { requireSearchFields } from './search-fields.ts';

const FIELD_NAME_BYTES_MAX = 64;
const FIELD_DESCRIPTION_BYTES_MAX = 256;

/** The names of the fields that the vectors API serves. */
export const DENSE_FIELD = '_values';
export const SPARSE_FIELD = '_sparse_values';

export const SchemaBody = Type.Object(
  {
    fields: mapOf(
      FieldBodySchema,
      `An index of the vectors API has the field ${DENSE_FIELD} (dense_vector), ${SPARSE_FIELD} (sparse_vector) or ` +
        'both, and no other. Any other field makes a document index. Only fields to search are declared; metadata is not.',
    ),
  },
  { additionalProperties: false },
);

/**
 * The vectors and the document schema of an index with this schema.
 * @throws invalid-argument for a schema outside the rules; body-not-deserializable for a dense vector field without
 *   dimension or metric; model-not-found
 */
export function requestedSchema(
  { fields }: Static<typeof SchemaBody>,
  context: SchemaContext,
): RequestedSchema {
  for (const [name, field] of Object.entries(fields)) checkField(name, field, context);
  requireSearchFields(fields, context);
  const names = Object.keys(fields);
  const reserved = names.filter((name) => name === DENSE_FIELD || name === SPARSE_FIELD);
  if (reserved.length === 0) return documentSchema(fields, context);
  if (reserved.length < names.length) {
    throw invalid(`Field '${reserved[0]}' cannot be combined with fields of other names.`);
  }
  return { shape: shapeOfVectors(fields), documents: null };
}

function shapeOfVectors(fields: FieldBodies): VectorShape {
  const { [DENSE_FIELD]: dense, [SPARSE_FIELD]: sparse } = fields;
  for (const [name, field] of Object.entries(fields)) {
    if (field.description !== undefined) throw invalid(`Field '${name}' takes no description.`);
    if (field.type !== 'string') refuseTextKeys(name, field);
  }
  if (sparse !== undefined && sparse.type !== 'sparse_vector') {
    throw invalid(`Field '${SPARSE_FIELD}' must be a sparse_vector.`);
  }
  if (dense === undefined) return vectorShape({ vectorType: 'sparse' });
  if (dense.type !== 'dense_vector') throw invalid(`Field '${DENSE_FIELD}' must be a dense_vector.`);
  return vectorShape({ dimension: dense.dimension, metric: dense.metric });
}

function checkField(name: string, field: FieldBody, { bodyText, isPreview }: SchemaContext): void {
  checkFieldName(name);
  if (Buffer.byteLength(field.description ?? '') > FIELD_DESCRIPTION_BYTES_MAX) {
    throw invalid(`Field '${name}': description must be at most ${FIELD_DESCRIPTION_BYTES_MAX} bytes long.`);
  }
  if (field.type === 'dense_vector') {
    const missing = (['dimension', 'metric'] as const).find((key) => field[key] === undefined);
    if (missing !== undefined) throw missingField(missing, ['schema', 'fields', name], bodyText);
  } else if (
    field.dimension !== undefined ||
    (field.metric !== undefined && !isSparseMetric(field, isPreview))
  ) {
    throw invalid(`Field '${name}': dimension and metric belong to dense_vector fields only.`);
  }
}

/** Clients of the preview state the only metric that sparse vectors have. */
function isSparseMetric({ type, metric }: FieldBody, isPreview: boolean): boolean {
  return isPreview && type === 'sparse_vector' && metric === 'dotproduct';
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
