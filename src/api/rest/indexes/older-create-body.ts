// The body of create index up to 2026-04: dimension, metric, vector_type and a spec.
import { checkEnvironment } from '../../../domain/environment.ts';
import { invalid } from '../../../domain/faults.ts';
import type { NewIndex } from '../../../domain/index-lifecycle.ts';
import type { Deployment } from '../../../domain/index-model.ts';
import { DIMENSION_MAX, DIMENSION_MIN } from '../../../domain/limits.ts';
import { indexMetadataSchema } from '../../../domain/metadata-schema.ts';
import { checkName } from '../../../domain/names.ts';
import { checkPodCount, DEFAULT_POD_TYPE, POD_TYPES, podTypeNamed } from '../../../domain/pods.ts';
import { initialCapacity, ON_DEMAND } from '../../../domain/read-capacity.ts';
import { type OfferedRegions, requireRegion } from '../../../domain/regions.ts';
import { checkTags, mergeTags, type TagAlphabet } from '../../../domain/tags.ts';
import { METRICS, VECTOR_TYPES, vectorShape } from '../../../domain/vector-shape.ts';
import { type Static, Type } from '../../schema/type.ts';
import {
  choice,
  DeletionProtectionBody,
  deletionProtectionNamed,
  MetadataSchemaBody,
  Name,
  TagsBody,
} from './body-parts.ts';
import { ReadCapacityBody, requestedCapacity } from './read-capacity-body.ts';

const ServerlessSpec = Type.Object({
  cloud: Type.String(),
  region: Type.String(),
  read_capacity: Type.Optional(ReadCapacityBody),
  source_collection: Type.Optional(Type.String()),
  schema: Type.Optional(MetadataSchemaBody),
});

const PodSpec = Type.Object({
  environment: Type.String(),
  pod_type: Type.Optional(choice(POD_TYPES, `Default: ${DEFAULT_POD_TYPE}.`)),
  replicas: Type.Optional(Type.Integer({ minimum: 1 })),
  shards: Type.Optional(Type.Integer({ minimum: 1 })),
  pods: Type.Optional(Type.Integer({ minimum: 1, description: 'Product of replicas and shards.' })),
  metadata_config: Type.Optional(
    Type.Object({
      indexed: Type.Optional(
        Type.Array(Type.String(), { description: 'Fields that filters can use. Default: all.' }),
      ),
    }),
  ),
  source_collection: Type.Optional(Type.String()),
});

const ByocSpec = Type.Object({
  environment: Type.String(),
  read_capacity: Type.Optional(ReadCapacityBody),
  schema: Type.Optional(MetadataSchemaBody),
});

export const OlderCreateBody = Type.Object(
  {
    name: Name,
    dimension: Type.Optional(
      Type.Integer({
        minimum: DIMENSION_MIN,
        maximum: DIMENSION_MAX,
        description: 'Required for dense indexes, absent for sparse ones.',
      }),
    ),
    metric: Type.Optional(choice(METRICS, 'Default: cosine; sparse: dotproduct.')),
    vector_type: Type.Optional(choice(VECTOR_TYPES, 'Default: dense.')),
    spec: Type.Object(
      {
        serverless: Type.Optional(ServerlessSpec),
        pod: Type.Optional(PodSpec),
        byoc: Type.Optional(ByocSpec),
      },
      { description: 'Exactly one of the three.' },
    ),
    deletion_protection: Type.Optional(DeletionProtectionBody),
    tags: Type.Optional(TagsBody),
  },
  {
    title: 'CreateIndexRequestOlder',
    description: 'The form up to 2026-04.',
    examples: [
      {
        name: 'books',
        dimension: 3,
        metric: 'cosine',
        spec: { serverless: { cloud: 'aws', region: 'us-east-1' } },
      },
    ],
  },
);

type Body = Static<typeof OlderCreateBody>;

/** @throws invalid-argument, region-not-found */
export function newIndexFromOlder(body: Body, regions: OfferedRegions, alphabet: TagAlphabet): NewIndex {
  checkName(body.name);
  const { vector_type: vectorType, metric, dimension } = body;
  const shape = vectorShape({ vectorType, metric, dimension });
  const tags = body.tags ?? {};
  checkTags(tags, alphabet);
  const deletionProtection = deletionProtectionNamed(body.deletion_protection ?? 'disabled');
  const deployment = deploymentOf(body.spec, regions);
  if (shape.vectorType === 'sparse' && deployment.kind === 'pod') {
    throw invalid('vector_type sparse is not available for pod indexes.');
  }
  const common = { deployment, deletionProtection, tags: mergeTags({}, tags), embed: null, documents: null };
  return { name: body.name, ...shape, ...common };
}

function deploymentOf(spec: Body['spec'], regions: OfferedRegions): Deployment {
  const given = [spec.serverless, spec.pod, spec.byoc].filter((one) => one !== undefined);
  if (given.length === 1) {
    if (spec.serverless !== undefined) return serverless(spec.serverless, regions);
    if (spec.pod !== undefined) return pod(spec.pod);
    if (spec.byoc !== undefined) return byoc(spec.byoc);
  }
  throw invalid('spec must contain exactly one of serverless, pod or byoc.');
}

function serverless(spec: Static<typeof ServerlessSpec>, regions: OfferedRegions): Deployment {
  return {
    kind: 'serverless',
    ...requireRegion(regions, spec.cloud, spec.region),
    readCapacity: capacityOf(spec),
    metadataSchema: indexMetadataSchema(spec.schema),
    sourceCollection: spec.source_collection ?? null,
  };
}

function byoc(spec: Static<typeof ByocSpec>): Deployment {
  return {
    kind: 'byoc',
    environment: checkEnvironment(spec.environment, 'environment'),
    readCapacity: capacityOf(spec),
    metadataSchema: indexMetadataSchema(spec.schema),
  };
}

function pod(spec: Static<typeof PodSpec>): Deployment {
  return {
    kind: 'pod',
    environment: checkEnvironment(spec.environment, 'environment'),
    podType: podTypeNamed(spec.pod_type ?? DEFAULT_POD_TYPE),
    ...podCounts(spec),
    metadataIndexed: spec.metadata_config?.indexed ?? null,
    sourceCollection: spec.source_collection ?? null,
  };
}

/** `pods` alone counts shards, since the pods of an index without replicas are its shards. */
function podCounts({ replicas, shards, pods }: Static<typeof PodSpec>) {
  const counts = {
    replicas: replicas ?? 1,
    shards: shards ?? (replicas === undefined ? pods : undefined) ?? 1,
  };
  checkPodCount('replicas', counts.replicas);
  checkPodCount('shards', counts.shards);
  if (pods !== undefined && pods !== counts.replicas * counts.shards) {
    throw invalid(`pods must be the product of replicas and shards, ${counts.replicas * counts.shards}.`);
  }
  return counts;
}

function capacityOf({
  read_capacity: requested,
}: {
  readonly read_capacity?: Static<typeof ReadCapacityBody>;
}) {
  return requested === undefined ? ON_DEMAND : initialCapacity(requestedCapacity(requested));
}
