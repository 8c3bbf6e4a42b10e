// A field of a schema as create bodies hold it, and what its reading needs and gives.
import type { DocumentSchema } from '../../../domain/document-schema.ts';
import type { ModelListing } from '../../../domain/embedding/current-source.ts';
import { DIMENSION_MAX, DIMENSION_MIN } from '../../../domain/limits.ts';
import { METRICS, type VectorShape } from '../../../domain/vector-shape.ts';
import { type Static, Type } from '../../schema/type.ts';
import { choice } from './body-parts.ts';
import { EmbedParametersBody } from './embed-bodies.ts';
import { FullTextSearchBody } from './full-text-body.ts';

const parameters = {
  write_parameters: Type.Optional(EmbedParametersBody),
  read_parameters: Type.Optional(EmbedParametersBody),
};

export const FieldBodySchema = Type.Object(
  {
    type: choice(['dense_vector', 'sparse_vector', 'string']),
    dimension: Type.Optional(Type.Integer({ minimum: DIMENSION_MIN, maximum: DIMENSION_MAX })),
    metric: Type.Optional(choice(METRICS)),
    full_text_search: Type.Optional(FullTextSearchBody),
    embed: Type.Optional(
      Type.Object(
        {
          model: Type.Optional(Type.String()),
          dimension: Type.Optional(Type.Integer()),
          metric: Type.Optional(choice(METRICS)),
          ...parameters,
        },
        {
          additionalProperties: false,
          description: 'Embeds the text of a string field into a dense vector.',
        },
      ),
    ),
    sparse_embed: Type.Optional(
      Type.Object(
        { model: Type.Optional(Type.String()), ...parameters },
        {
          additionalProperties: false,
          description: 'Embeds the text of a string field into a sparse vector.',
        },
      ),
    ),
    store_text: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'False keeps no text, only its embeddings; needs embed or sparse_embed.',
      }),
    ),
    filterable: Type.Optional(Type.Boolean({ description: 'For preview clients only.' })),
    description: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

export type FieldBody = Static<typeof FieldBodySchema>;
export type FieldBodies = Readonly<Record<string, FieldBody>>;

export interface SchemaContext {
  readonly models: ModelListing;
  readonly bodyText: string;
  /** True for clients of the preview, which may declare metadata fields. */
  readonly isPreview: boolean;
}

export interface RequestedSchema {
  readonly shape: VectorShape;
  /** Null for an index of the vectors API. */
  readonly documents: DocumentSchema | null;
}
