// POST /indexes/create-for-model: creates an index that embeds the text of its records.
import { isAtLeast } from '../../../domain/api-version.ts';
import { newEmbedding } from '../../../domain/embedding/integrate.ts';
import type { NewIndex } from '../../../domain/index-lifecycle.ts';
import { indexMetadataSchema } from '../../../domain/metadata-schema.ts';
import { checkName } from '../../../domain/names.ts';
import { initialCapacity, ON_DEMAND } from '../../../domain/read-capacity.ts';
import { requireRegion } from '../../../domain/regions.ts';
import { checkTags, mergeTags } from '../../../domain/tags.ts';
import type { ControlCall, ControlEndpoint, Reply } from '../../endpoint.ts';
import { type Static, Type } from '../../schema/type.ts';
import {
  DeletionProtectionBody,
  deletionProtectionNamed,
  MetadataSchemaBody,
  Name,
  TagsBody,
  tagAlphabet,
} from './body-parts.ts';
import { deserialize } from './deserialize.ts';
import { NewerCreateEmbedBody, OlderCreateEmbedBody, requestedEmbedding } from './embed-bodies.ts';
import { indexReply } from './index-reply.ts';
import { IndexObject } from './index-schemas.ts';
import { ReadCapacityBody, requestedCapacity } from './read-capacity-body.ts';

const fields = {
  name: Name,
  cloud: Type.String(),
  region: Type.String(),
  embed: OlderCreateEmbedBody,
  schema: Type.Optional(MetadataSchemaBody),
  read_capacity: Type.Optional(ReadCapacityBody),
  deletion_protection: Type.Optional(DeletionProtectionBody),
  tags: Type.Optional(TagsBody),
};

const OlderBody = Type.Object(fields);
const NewerBody = Type.Object(
  { ...fields, embed: NewerCreateEmbedBody },
  {
    title: 'CreateIndexForModelRequest',
    additionalProperties: false,
    examples: [
      {
        name: 'notes',
        cloud: 'aws',
        region: 'us-east-1',
        embed: { model: 'multilingual-e5-large', field_map: { text: 'chunk_text' } },
      },
    ],
  },
);

async function handle(call: ControlCall): Promise<Reply> {
  const schema = isAtLeast(call.version, '2026-07') ? NewerBody : OlderBody;
  const options = requestedIndex(deserialize(schema, call), call);
  return indexReply(201, await call.services.indexes.create(call.access, options), call);
}

function requestedIndex(body: Static<typeof OlderBody>, { services, version }: ControlCall): NewIndex {
  checkName(body.name);
  const region = requireRegion(services.indexes.regions, body.cloud, body.region);
  const { model } = body.embed;
  const { shape, embed } = newEmbedding(services.inference, { ...requestedEmbedding(body.embed), model });
  const { tags = {}, read_capacity: capacity } = body;
  checkTags(tags, tagAlphabet(version));
  return {
    name: body.name,
    ...shape,
    embed,
    documents: null,
    deployment: {
      kind: 'serverless',
      ...region,
      readCapacity: capacity === undefined ? ON_DEMAND : initialCapacity(requestedCapacity(capacity)),
      metadataSchema: indexMetadataSchema(body.schema),
      sourceCollection: null,
    },
    deletionProtection: deletionProtectionNamed(body.deletion_protection ?? 'disabled'),
    tags: mergeTags({}, tags),
  };
}

export const createIndexForModel: ControlEndpoint = {
  id: 'create_index_for_model',
  method: 'POST',
  path: '/indexes/create-for-model',
  tag: 'Indexes',
  summary: 'Create an index with integrated embedding',
  description:
    'The model determines the vector type and the available dimensions and metrics. The index is ready in the response.',
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
    'name-taken',
    'index-ports-exhausted',
  ],
  handle,
};
