// POST /indexes/create-for-model: an index that embeds text by itself, once a model is installed.
import { Type } from 'typebox';
import { isAtLeast } from '../../domain/api-version.ts';
import { fault, invalid } from '../../domain/faults.ts';
import { checkName } from '../../domain/names.ts';
import { requireRegion } from '../../domain/regions.ts';
import { METRICS } from '../../domain/vector-shape.ts';
import type { ControlCall, ControlEndpoint, Reply } from '../endpoint.ts';
import { choice, DeletionProtectionBody, MetadataSchemaBody, mapOf, Name, TagsBody } from './body-parts.ts';
import { deserialize } from './deserialize.ts';
import { IndexObject } from './index-schemas.ts';
import { ReadCapacityBody } from './read-capacity-body.ts';

const fields = {
  name: Name,
  cloud: Type.String(),
  region: Type.String(),
  embed: Type.Object({
    model: Type.String(),
    field_map: mapOf(Type.String(), 'The key `text` with the record field to embed.'),
    metric: Type.Optional(choice(METRICS, 'Default: that of the model.')),
    dimension: Type.Optional(Type.Integer({ description: 'Default: that of the model.' })),
    read_parameters: Type.Optional(Type.Object({})),
    write_parameters: Type.Optional(Type.Object({})),
  }),
  schema: Type.Optional(MetadataSchemaBody),
  read_capacity: Type.Optional(ReadCapacityBody),
  deletion_protection: Type.Optional(DeletionProtectionBody),
  tags: Type.Optional(TagsBody),
};

const OlderBody = Type.Object(fields);
const NewerBody = Type.Object(fields, { additionalProperties: false });

async function handle(call: ControlCall): Promise<Reply> {
  const body = isAtLeast(call.version, '2026-07')
    ? deserialize(NewerBody, call)
    : deserialize(OlderBody, call);
  checkName(body.name);
  requireRegion(call.services.indexes.regions, body.cloud, body.region);
  if (!body.embed.field_map.text) throw invalid('embed.field_map must map the key text to a record field.');
  throw fault('model-not-found', { name: body.embed.model });
}

export const createIndexForModel: ControlEndpoint = {
  id: 'create_index_for_model',
  method: 'POST',
  path: '/indexes/create-for-model',
  tag: 'Indexes',
  summary: 'Create an index with integrated embedding',
  description: 'No embedding model is installed in this release, so every model is answered 404.',
  since: '2025-01',
  permission: 'control_plane::indexes::create',
  errors: 'standard',
  body: NewerBody,
  success: { status: 201, description: 'The new index.', schema: IndexObject },
  faults: [
    'invalid-argument',
    'body-not-json',
    'body-not-deserializable',
    'region-not-found',
    'model-not-found',
  ],
  handle,
};
