// The fields of a document index, as a create body requests them.
import type {
  DocumentField,
  DocumentSchema,
  FieldEmbedding,
  StringField,
} from '../../../domain/document-schema.ts';
import { newEmbedding, type RequestedEmbedding } from '../../../domain/embedding/integrate.ts';
import { invalid } from '../../../domain/faults.ts';
import type { VectorType } from '../../../domain/index-model.ts';
import { FULL_TEXT_FIELDS_MAX } from '../../../domain/limits.ts';
import { type VectorShape, vectorShape } from '../../../domain/vector-shape.ts';
import type { FieldBodies, FieldBody, RequestedSchema, SchemaContext } from './field-body.ts';
import { declaredAnalysis, textAnalysis } from './full-text-body.ts';
import { isSearchable, metadataField } from './search-fields.ts';

const DEFAULT_MODELS: Readonly<Record<VectorType, string>> = {
  dense: 'llama-text-embed-v2',
  sparse: 'pinecone-sparse-english-v0',
};
const EMBED_KEYS: Readonly<Record<VectorType, 'embed' | 'sparse_embed'>> = {
  dense: 'embed',
  sparse: 'sparse_embed',
};
/** @throws invalid-argument, model-not-found */
export function documentSchema(bodies: FieldBodies, context: SchemaContext): RequestedSchema {
  requireOneSlot(bodies, 'dense');
  requireOneSlot(bodies, 'sparse');
  const made = Object.entries(bodies).map(([name, body]) => ({ name, ...fieldOf(name, body, context) }));
  const documents: DocumentSchema = {
    fields: Object.fromEntries(made.map(({ name, field }) => [name, field])),
  };
  requireFewTextFields(documents);
  const shape = made.find((each) => each.shape !== null)?.shape ?? vectorShape({ vectorType: 'sparse' });
  return { shape, documents };
}

/** A field; and the shape of the dense vectors, when it takes their slot. */
interface MadeField {
  readonly field: DocumentField;
  readonly shape: VectorShape | null;
}

function fieldOf(name: string, body: FieldBody, context: SchemaContext): MadeField {
  if (!isSearchable(body)) return { field: metadataField(name, body), shape: null };
  if (body.type === 'string') return stringField(name, body, context);
  refuseTextKeys(name, body);
  const description = body.description ?? null;
  if (body.type === 'sparse_vector') return { field: { kind: 'sparse', description }, shape: null };
  const shape = vectorShape({ dimension: body.dimension, metric: body.metric });
  const { metric, dimension } = shape;
  if (dimension === null) throw new Error('a dense shape has a dimension');
  return { field: { kind: 'dense', dimension, metric, description }, shape };
}

function stringField(name: string, body: FieldBody, context: SchemaContext): MadeField {
  const { store_text: storeText = true, full_text_search: search } = body;
  const embed = body.embed === undefined ? null : embedding(name, 'dense', body.embed, context);
  const sparse =
    body.sparse_embed === undefined ? null : embedding(name, 'sparse', body.sparse_embed, context);
  if (!storeText && embed === null && sparse === null) {
    throw invalid(`Field '${name}': store_text false requires embed or sparse_embed.`);
  }
  if (!storeText && search !== undefined) {
    throw invalid(`Field '${name}': store_text false cannot be combined with full_text_search.`);
  }
  const field: StringField = {
    kind: 'string',
    description: body.description ?? null,
    storeText,
    // A stored text is always searchable by its words.
    fullText: storeText ? textAnalysis(name, search ?? {}) : null,
    ...declaredAnalysis(name, search ?? {}, context),
    embed: embed?.embedding ?? null,
    sparseEmbed: sparse?.embedding ?? null,
  };
  return { field, shape: embed?.shape ?? null };
}

function embedding(
  name: string,
  vectorType: VectorType,
  body: NonNullable<FieldBody['embed']>,
  { models }: SchemaContext,
): { readonly embedding: FieldEmbedding; readonly shape: VectorShape } {
  const key = EMBED_KEYS[vectorType];
  const requested: RequestedEmbedding & { readonly model: string } = {
    model: body.model ?? DEFAULT_MODELS[vectorType],
    fieldMap: { text: name },
    metric: body.metric,
    dimension: body.dimension,
    writeParameters: body.write_parameters,
    readParameters: body.read_parameters,
  };
  const { shape, embed } = newEmbedding(models, requested);
  if (shape.vectorType !== vectorType) {
    throw invalid(
      `Field '${name}': ${key} requires a ${vectorType} model; '${embed.model}' makes ${shape.vectorType} vectors.`,
    );
  }
  const { textField: _, ...kept } = embed;
  return { embedding: kept, shape };
}

/** For a field that is no string. @throws invalid-argument */
export function refuseTextKeys(name: string, body: FieldBody): void {
  const keys = ['full_text_search', 'embed', 'sparse_embed', 'store_text'] as const;
  const wrong = keys.find((key) => body[key] !== undefined);
  if (wrong !== undefined) throw invalid(`Field '${name}': ${wrong} belongs to string fields only.`);
}

function requireOneSlot(bodies: FieldBodies, vectorType: VectorType): void {
  const type = `${vectorType}_vector`;
  const key = EMBED_KEYS[vectorType];
  const taking = Object.values(bodies).filter((body) => body.type === type || body[key] !== undefined);
  if (taking.length > 1) {
    throw invalid(`Schema must contain at most one ${type} field; a string field with ${key} counts as one.`);
  }
}

function requireFewTextFields({ fields }: DocumentSchema): void {
  const count = Object.values(fields).filter(
    (field) => field.kind === 'string' && field.fullText !== null,
  ).length;
  if (count > FULL_TEXT_FIELDS_MAX) {
    throw invalid(`Schema must contain at most ${FULL_TEXT_FIELDS_MAX} fields with full_text_search.`);
  }
}
