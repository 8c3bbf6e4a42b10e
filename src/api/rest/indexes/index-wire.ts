// The wire form of indexes: the older shape, and since 2026-07 the newer one merged into it.
import { isAtLeast, NEWEST_API_VERSION, type RequestedVersion } from '../../../domain/api-version.ts';
import {
  areReadsPaused,
  type Deployment,
  type Index,
  isReady,
  type ReadCapacity,
} from '../../../domain/index-model.ts';
import { documentFieldsToWire } from './document-fields-wire.ts';
import { embedToWire, semanticTextToWire } from './embed-wire.ts';
import { DENSE_FIELD, SPARSE_FIELD } from './schema-body.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * An index as a version of the API shows it. No key differs in meaning between the two
 * shapes, so newer callers get both, and so do those that name no version.
 */
export function indexToWire(index: Index, host: string, requested: RequestedVersion): Json {
  const version = requested ?? NEWEST_API_VERSION;
  const older = olderShape(index, host, version);
  return isAtLeast(version, '2026-07') ? { ...older, ...newerKeys(index) } : older;
}

function olderShape(index: Index, host: string, version: RequestedVersion): Json {
  return {
    name: index.name,
    vector_type: index.vectorType,
    metric: index.metric,
    ...(index.dimension === null ? {} : { dimension: index.dimension }),
    status: statusOf(index, version),
    host,
    spec: specOf(index.deployment),
    deletion_protection: index.deletionProtection,
    tags: Object.keys(index.tags).length === 0 ? null : index.tags,
    ...(index.embed === null ? {} : { embed: embedToWire(index, index.embed) }),
  };
}

/** An index without replicas for reads is Disabled, although it goes on taking writes. */
function statusOf({ state: stored, deployment }: Index, version: RequestedVersion): Json {
  const state = stored === 'Ready' && areReadsPaused(deployment) ? 'Disabled' : stored;
  // Clients before this version fail on a state that they do not know.
  const isKnown = state !== 'Disabled' || isAtLeast(version, '2025-04');
  return { ready: isReady(state), state: isKnown ? state : 'ScalingDown' };
}

function specOf(deployment: Deployment): Json {
  switch (deployment.kind) {
    case 'serverless': {
      const { cloud, region, readCapacity } = deployment;
      const read_capacity = readCapacityToWire(readCapacity);
      return {
        serverless: { cloud, region, read_capacity, ...sourceOf(deployment), ...metadataOf(deployment) },
      };
    }
    case 'byoc': {
      const { environment, readCapacity } = deployment;
      const read_capacity = readCapacityToWire(readCapacity);
      return { byoc: { environment, read_capacity, ...metadataOf(deployment) } };
    }
    case 'pod': {
      const { environment, podType, replicas, shards, metadataIndexed } = deployment;
      const config = metadataIndexed === null ? {} : { metadata_config: { indexed: metadataIndexed } };
      const counts = { replicas, shards, pods: replicas * shards };
      return { pod: { environment, pod_type: podType, ...counts, ...config, ...sourceOf(deployment) } };
    }
  }
}

function newerKeys(index: Index): Json {
  const { deployment } = index;
  return {
    deployment: deploymentToWire(deployment),
    ...(deployment.kind === 'pod' ? {} : { read_capacity: readCapacityToWire(deployment.readCapacity) }),
    schema: { fields: schemaFields(index) },
    ...(deployment.kind === 'byoc' ? {} : sourceOf(deployment)),
    ...backupOf(deployment),
  };
}

function backupOf(deployment: Deployment): Json {
  if (deployment.kind !== 'serverless' || deployment.sourceBackupId === undefined) return {};
  return { source_backup_id: deployment.sourceBackupId };
}

function deploymentToWire(deployment: Deployment): Json {
  switch (deployment.kind) {
    case 'serverless': {
      const { cloud, region } = deployment;
      return { deployment_type: 'managed', cloud, region, environment: `${region}-${cloud}` };
    }
    case 'byoc':
      return { deployment_type: 'byoc', environment: deployment.environment };
    case 'pod': {
      const { environment, podType, replicas, shards } = deployment;
      return { deployment_type: 'pod', environment, pod_type: podType, replicas, shards };
    }
  }
}

/** The text field of an integrated index may be one of those that filters use. */
function schemaFields(index: Index): Json {
  if (index.documents !== null) return documentFieldsToWire(index.documents, index);
  const own = vectorFields(index);
  return { ...own, ...filterableFields(index.deployment), ...own };
}

/** A dense index reports both fields, as its records may carry sparse values too; an integrated one its text field. */
function vectorFields(index: Index): Json {
  const { vectorType, dimension, metric, embed } = index;
  if (embed !== null) return { [embed.textField]: semanticTextToWire(index, embed) };
  const sparse = { [SPARSE_FIELD]: { type: 'sparse_vector', description: null } };
  if (vectorType === 'sparse') return sparse;
  return { [DENSE_FIELD]: { type: 'dense_vector', dimension, metric, description: null }, ...sparse };
}

function filterableFields(deployment: Deployment): Json {
  return deployment.kind === 'pod' ? {} : (deployment.metadataSchema?.fields ?? {});
}

/** Some clients refuse any other key, and null for `dedicated`. */
function readCapacityToWire(capacity: ReadCapacity): Json {
  if (capacity.mode === 'OnDemand') {
    return { mode: 'OnDemand', status: { state: 'Ready', current_replicas: null, current_shards: null } };
  }
  const { dedicated, state, current } = capacity;
  const { nodeType, scaling, replicas, shards } = dedicated;
  return {
    mode: 'Dedicated',
    dedicated: { node_type: nodeType, scaling, manual: { replicas, shards } },
    status: { state, current_replicas: current?.replicas ?? null, current_shards: current?.shards ?? null },
  };
}

function sourceOf({ sourceCollection }: { readonly sourceCollection: string | null }): Json {
  return sourceCollection === null ? {} : { source_collection: sourceCollection };
}

function metadataOf({ metadataSchema }: Pick<Deployment & { kind: 'serverless' }, 'metadataSchema'>): Json {
  return metadataSchema === null ? {} : { schema: metadataSchema };
}
