// The model of an index: its fixed properties, its states, and the profile that the data plane needs.
import type { DocumentSchema } from './document-schema.ts';
import { BUILT_IN } from './embedding/embedding-source.ts';
import type { IndexEmbedding } from './embedding/index-embedding.ts';
import type { ModelChange } from './embedding/vector-sets.ts';
import type { TimeToLive } from './expiry/time-to-live.ts';
import type { MemoryProfile } from './memory-profile.ts';
import type { Metric } from './metric.ts';
import type { Placement } from './nodes/node.ts';

export type { Metric } from './metric.ts';

export type VectorType = 'dense' | 'sparse';
export const CLOUDS = ['aws', 'gcp', 'azure'] as const;
export type Cloud = (typeof CLOUDS)[number];
export type DeletionProtection = 'enabled' | 'disabled';

/** Metadata schema: when present, only the listed fields are filterable. */
export type MetadataSchema = { readonly fields: Readonly<Record<string, { readonly filterable: true }>> };

export type DedicatedCapacity = {
  readonly nodeType: string;
  readonly scaling: 'Manual';
  readonly replicas: number;
  readonly shards: number;
};
export type ReadCapacityState = 'Ready' | 'Scaling' | 'Migrating' | 'Error';
export type ReadCapacity =
  | { readonly mode: 'OnDemand' }
  | {
      readonly mode: 'Dedicated';
      /** The requested capacity. */
      readonly dedicated: DedicatedCapacity;
      readonly state: ReadCapacityState;
      /** The capacity in force; null until first provisioned. Equals the requested one when Ready. */
      readonly current: { readonly replicas: number; readonly shards: number } | null;
    };

export type Deployment =
  | {
      readonly kind: 'serverless';
      readonly cloud: Cloud;
      readonly region: string;
      readonly readCapacity: ReadCapacity;
      readonly metadataSchema: MetadataSchema | null;
      readonly sourceCollection: string | null;
      /** Id of the backup it was restored from. */
      readonly sourceBackupId?: string;
    }
  | {
      readonly kind: 'byoc';
      readonly environment: string;
      readonly readCapacity: ReadCapacity;
      readonly metadataSchema: MetadataSchema | null;
    }
  | {
      readonly kind: 'pod';
      readonly environment: string;
      readonly podType: string;
      readonly replicas: number;
      readonly shards: number;
      readonly metadataIndexed: readonly string[] | null;
      readonly sourceCollection: string | null;
    };

export const INDEX_STATES = [
  'Initializing',
  'Ready',
  'InitializationFailed',
  'ScalingUp',
  'ScalingDown',
  'ScalingUpPodSize',
  'Terminating',
  'Disabled',
] as const;

export type IndexState = (typeof INDEX_STATES)[number];

/** An index as the catalog stores it. */
export interface Index {
  /** UUID, which never changes. */
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly vectorType: VectorType;
  readonly metric: Metric;
  /** Null without dense vectors: exactly when vectorType is sparse. */
  readonly dimension: number | null;
  readonly deployment: Deployment;
  readonly state: IndexState;
  readonly deletionProtection: DeletionProtection;
  readonly tags: Readonly<Record<string, string>>;
  /** TCP port of its data plane; never given to another index. Null with virtual hosts. */
  readonly port: number | null;
  readonly createdAt: string;
  /** Null without integrated embedding. */
  readonly embed: IndexEmbedding | null;
  /** The schema of a document index; null for indexes of the vectors API. */
  readonly documents: DocumentSchema | null;
  /** Names the folder on disk of the vectors that answer; absent where it is `id`, until the model is changed. */
  readonly storageId?: string;
  /** The vectors of another model beside those that answer; absent while there are none. */
  readonly modelChange?: ModelChange;
  /** Absent where records do not expire. */
  readonly timeToLive?: TimeToLive;
  /** The recall promised to searches that name none; absent for the usual one. */
  readonly promisedRecall?: number;
  /** Absent for the server's default. */
  readonly memoryProfile?: MemoryProfile;
  /** The node that has its records; absent where nodes have none of their own. */
  readonly placement?: Placement;
}

export interface IndexSize {
  readonly records: number;
  /** On disk. */
  readonly bytes: number;
  /** What branches show of their sources, which is stored once until they become whole; absent for nothing. */
  readonly shared?: Pick<IndexSize, 'records' | 'bytes'>;
}

/** The part of an index that the vector engine and the data plane need; plain data, sent between threads. */
export interface IndexProfile {
  /** Names its storage. */
  readonly id: string;
  /** The id of the index; absent where it is `id`. */
  readonly indexId?: string;
  readonly name: string;
  readonly projectId: string;
  readonly kind: Deployment['kind'];
  readonly vectorType: VectorType;
  readonly metric: Metric;
  readonly dimension: number | null;
  /** Fields that filters may use; null means every field. Serverless: metadata schema; pod: metadata_config. */
  readonly filterableFields: readonly string[] | null;
  readonly metadataSchema: MetadataSchema | null;
  readonly dedicated: boolean;
  /** False when read capacity has zero replicas: reads are refused. */
  readonly readable: boolean;
  /** The schema of a document index; null for indexes of the vectors API. */
  readonly documents: DocumentSchema | null;
  /** As `SearchedIndex` (full-text) has them: those of an index with the built-in sparse model. */
  readonly rankedFields?: readonly string[];
  /** Absent where records do not expire. */
  readonly timeToLive?: TimeToLive;
  /** The recall that searches aim for unless they name another; absent for the usual one. */
  readonly promisedRecall?: number;
  /** As in `Index`. */
  readonly memoryProfile?: MemoryProfile;
}

/** True when an index of this state serves requests. */
export function isReady(state: IndexState): boolean {
  return (
    state === 'Ready' || state === 'ScalingUp' || state === 'ScalingDown' || state === 'ScalingUpPodSize'
  );
}

/** True while the read capacity of an index is zero replicas: it takes writes, and refuses reads. */
export function areReadsPaused(deployment: Deployment): boolean {
  return dedicatedOf(deployment)?.current?.replicas === 0;
}

function dedicatedOf(deployment: Deployment): Extract<ReadCapacity, { mode: 'Dedicated' }> | null {
  if (deployment.kind === 'pod' || deployment.readCapacity.mode !== 'Dedicated') return null;
  return deployment.readCapacity;
}

/** Names the folder of the vectors that answer. */
export function storageIdOf({ id, storageId }: Pick<Index, 'id' | 'storageId'>): string {
  return storageId ?? id;
}

/** The id of the index that a profile is of. */
export function indexIdOf({ id, indexId }: Pick<IndexProfile, 'id' | 'indexId'>): string {
  return indexId ?? id;
}

/** The fields that filters may use; null for every field. */
export function filterableFieldsOf(deployment: Deployment): readonly string[] | null {
  if (deployment.kind === 'pod') return deployment.metadataIndexed;
  return deployment.metadataSchema === null ? null : Object.keys(deployment.metadataSchema.fields);
}

/** Returns the profile of an index. */
export function profileOf(index: Index): IndexProfile {
  const { deployment } = index;
  const schema = deployment.kind === 'pod' ? null : deployment.metadataSchema;
  return {
    id: storageIdOf(index),
    ...(storageIdOf(index) !== index.id && { indexId: index.id }),
    name: index.name,
    projectId: index.projectId,
    kind: deployment.kind,
    vectorType: index.vectorType,
    metric: index.metric,
    dimension: index.dimension,
    filterableFields: filterableFieldsOf(deployment),
    metadataSchema: schema,
    dedicated: dedicatedOf(deployment) !== null,
    readable: !areReadsPaused(index.deployment),
    documents: index.documents,
    ...rankedFieldsOf(index),
    ...(index.timeToLive !== undefined && { timeToLive: index.timeToLive }),
    ...(index.promisedRecall !== undefined && { promisedRecall: index.promisedRecall }),
    ...(index.memoryProfile !== undefined && { memoryProfile: index.memoryProfile }),
  };
}

/** The present text field and the latest before it: each costs its own posting lists in every search. */
const RANKED_FIELDS_MAX = 4;

/** The weights of a model that learned them are not replaced. */
function rankedFieldsOf({ embed, vectorType }: Index): Pick<IndexProfile, 'rankedFields'> {
  if (embed === null || vectorType !== 'sparse' || embed.source.provider !== BUILT_IN) return {};
  const former = (embed.formerTextFields ?? []).slice(0, RANKED_FIELDS_MAX - 1);
  return { rankedFields: [...former.toReversed(), embed.textField] };
}

/** The profile for work on all stored records as they are: none counts as expired, and writes give none a lifetime. */
export function storedProfileOf(index: Index): IndexProfile {
  const { timeToLive: _, ...profile } = profileOf(index);
  return profile;
}
