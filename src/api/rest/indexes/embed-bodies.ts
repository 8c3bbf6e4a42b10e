// The embed objects of request bodies, and the change that each requests.
import type { ModelListing } from '../../../domain/embedding/current-source.ts';
import { changedEmbedding, type RequestedEmbedding } from '../../../domain/embedding/integrate.ts';
import { invalid } from '../../../domain/faults.ts';
import type { IndexChange } from '../../../domain/index-lifecycle.ts';
import type { Index } from '../../../domain/index-model.ts';
import { METRICS } from '../../../domain/vector-shape.ts';
import { type Static, Type } from '../../schema/type.ts';
import { choice, mapOf } from './body-parts.ts';

export const EmbedParametersBody = mapOf(
  Type.Unknown(),
  'Parameters of the model: input_type, truncate, dimension. Default: passage for writes, query for reads, END.',
);

const FieldMap = mapOf(Type.String(), 'Maps the key `text` to the record field to embed.');

const parameters = {
  read_parameters: Type.Optional(EmbedParametersBody),
  write_parameters: Type.Optional(EmbedParametersBody),
};
const fixed = {
  metric: Type.Optional(choice(METRICS, 'Default: from the model. Cannot be changed.')),
  dimension: Type.Optional(Type.Integer({ description: 'Default: from the model. Cannot be changed.' })),
};

const created = { model: Type.String(), field_map: FieldMap, ...fixed, ...parameters };

export const OlderCreateEmbedBody = Type.Object(created);
export const NewerCreateEmbedBody = Type.Object(created, { additionalProperties: false });

export const ConfigureEmbedBody = Type.Object(
  {
    model: Type.Optional(
      Type.String({
        description: 'Turns a plain index into an integrated one; cannot be changed afterwards.',
      }),
    ),
    field_map: Type.Optional(FieldMap),
    ...fixed,
    ...parameters,
  },
  { description: 'Integrated embedding.' },
);

type EmbedBody = Static<typeof ConfigureEmbedBody>;
type SemanticTextBody = Pick<EmbedBody, 'model' | 'write_parameters' | 'read_parameters'> & {
  readonly type: string;
};

export function requestedEmbedding(body: EmbedBody): RequestedEmbedding {
  const { model, metric, dimension } = body;
  return {
    model,
    metric,
    dimension,
    fieldMap: body.field_map,
    writeParameters: body.write_parameters,
    readParameters: body.read_parameters,
  };
}

/** The change that an embed object up to 2026-04 requests. */
export function embedChange(listing: ModelListing, body: EmbedBody): IndexChange {
  return { embed: (index) => changedEmbedding(listing, index, requestedEmbedding(body)) };
}

/** The change that the schema of a 2026-07 body requests. @throws invalid-argument */
export function semanticTextChange(
  listing: ModelListing,
  fields: Readonly<Record<string, SemanticTextBody>>,
): IndexChange {
  const [named, ...others] = Object.entries(fields);
  if (named === undefined || others.length > 0) throw invalid('schema.fields must name exactly one field.');
  const [name, field] = named;
  if (field.type !== 'semantic_text') throw invalid(`Field '${name}': type must be semantic_text.`);
  const embed = (index: Index) => {
    requireField(index, name);
    return changedEmbedding(listing, index, requestedEmbedding(field));
  };
  return { embed };
}

/** Such a body changes an integrated index; it cannot turn a plain one into one. */
function requireField({ name: index, embed }: Index, field: string): void {
  if (embed === null) {
    throw invalid(`Index ${index} has no integrated embedding that a schema could configure.`);
  }
  if (embed.textField !== field) {
    throw invalid(`Index ${index} has no semantic_text field '${field}'; it embeds '${embed.textField}'.`);
  }
}
