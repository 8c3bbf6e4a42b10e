// The body of create index since 2026-07: a schema of fields and a deployment.
import { hasEmbeddings } from '../../../domain/document-schema.ts';
import type { ModelListing } from '../../../domain/embedding/current-source.ts';
import { checkEnvironment } from '../../../domain/environment.ts';
import { invalid } from '../../../domain/faults.ts';
import { generateIndexName } from '../../../domain/ids.ts';
import type { NewIndex } from '../../../domain/index-lifecycle.ts';
import type { Deployment, ReadCapacity } from '../../../domain/index-model.ts';
import { checkName } from '../../../domain/names.ts';
import { initialCapacity, ON_DEMAND } from '../../../domain/read-capacity.ts';
import { defaultRegion, type OfferedRegions, type Region, requireRegion } from '../../../domain/regions.ts';
import { checkTags, mergeTags, type TagAlphabet } from '../../../domain/tags.ts';
import { type Static, Type } from '../../schema/type.ts';
import { choice, DeletionProtectionBody, deletionProtectionNamed, Name, TagsBody } from './body-parts.ts';
import { missingField } from './deserialize.ts';
import { ReadCapacityBody, requestedCapacity } from './read-capacity-body.ts';
import { DENSE_FIELD, requestedSchema, SchemaBody } from './schema-body.ts';

const DeploymentBody = Type.Object(
  {
    deployment_type: choice(['managed', 'byoc']),
    cloud: Type.Optional(Type.String({ description: 'Required for managed.' })),
    region: Type.Optional(Type.String({ description: 'Required for managed.' })),
    environment: Type.Optional(Type.String({ description: 'Required for byoc.' })),
  },
  { additionalProperties: false, description: 'Default: managed, in the first region of the server.' },
);

export const NewerCreateBody = Type.Object(
  {
    name: Type.Optional(Name),
    schema: SchemaBody,
    deployment: Type.Optional(DeploymentBody),
    read_capacity: Type.Optional(ReadCapacityBody),
    cmek_id: Type.Optional(Type.String({ description: 'Not supported by this server.' })),
    deletion_protection: Type.Optional(DeletionProtectionBody),
    tags: Type.Optional(TagsBody),
  },
  {
    title: 'CreateIndexRequest',
    additionalProperties: false,
    description: 'The form since 2026-07.',
    examples: [
      {
        name: 'books',
        schema: { fields: { [DENSE_FIELD]: { type: 'dense_vector', dimension: 3, metric: 'cosine' } } },
        deployment: { deployment_type: 'managed', cloud: 'aws', region: 'us-east-1' },
      },
    ],
  },
);

type Body = Static<typeof NewerCreateBody>;

export interface NewerContext {
  readonly regions: OfferedRegions;
  readonly alphabet: TagAlphabet;
  readonly bodyText: string;
  readonly models: ModelListing;
  readonly isPreview: boolean;
}

/** @throws invalid-argument, region-not-found, body-not-deserializable, model-not-found */
export function newIndexFromNewer(body: Body, context: NewerContext): NewIndex {
  const { regions, alphabet, bodyText } = context;
  const name = body.name ?? generateIndexName();
  checkName(name);
  const { shape, documents } = requestedSchema(body.schema, context);
  if (body.cmek_id !== undefined) throw invalid('cmek_id is not supported by this server.');
  const tags = body.tags ?? {};
  checkTags(tags, alphabet);
  const deletionProtection = deletionProtectionNamed(body.deletion_protection ?? 'disabled');
  const deployment = deploymentOf(body, regions, bodyText);
  if (deployment.kind === 'byoc' && documents !== null && hasEmbeddings(documents)) {
    throw invalid('byoc indexes cannot have string fields with embed or sparse_embed.');
  }
  return {
    name,
    ...shape,
    deployment,
    deletionProtection,
    tags: mergeTags({}, tags),
    embed: null,
    documents,
  };
}

function deploymentOf(body: Body, regions: OfferedRegions, bodyText: string): Deployment {
  const { deployment, read_capacity: requested } = body;
  const readCapacity = requested === undefined ? ON_DEMAND : initialCapacity(requestedCapacity(requested));
  if (deployment === undefined) return managed(defaultRegion(regions), readCapacity);
  const required = (field: 'cloud' | 'region' | 'environment'): string => {
    const value = deployment[field];
    if (value === undefined) throw missingField(field, ['deployment'], bodyText);
    return value;
  };
  switch (deployment.deployment_type) {
    case 'managed':
      return managed(requireRegion(regions, required('cloud'), required('region')), readCapacity);
    case 'byoc':
      return byoc(required('environment'), readCapacity);
    case 'pod':
      throw invalid('Pod indexes cannot be created with a deployment; send a spec instead.');
    default:
      throw invalid('deployment.deployment_type must be managed or byoc.');
  }
}

function managed(region: Region, readCapacity: ReadCapacity): Deployment {
  return { kind: 'serverless', ...region, readCapacity, metadataSchema: null, sourceCollection: null };
}

function byoc(environment: string, readCapacity: ReadCapacity): Deployment {
  checkEnvironment(environment, 'deployment.environment');
  if (readCapacity.mode !== 'Dedicated')
    throw invalid('byoc indexes require read_capacity of mode Dedicated.');
  return { kind: 'byoc', environment, readCapacity, metadataSchema: null };
}
