// The rules for archiving an index and for creating an index from an archive.
import { fault, invalid } from '../faults.ts';
import type { NewIndex } from '../index-lifecycle.ts';
import type { ReadCapacity } from '../index-model.ts';
import {
  type DeletionProtection,
  type Deployment,
  filterableFieldsOf,
  type Index,
  isReady,
} from '../index-model.ts';
import { ON_DEMAND } from '../read-capacity.ts';
import type { Tags } from '../tags.ts';
import type { Archive } from './archive.ts';

/** @throws invalid-argument, index-not-found, index-not-ready */
export function requireBackupSource({ name, state, deployment: { kind } }: Index): void {
  if (kind !== 'serverless') {
    throw invalid(`Index ${name} is a ${kind} index; backups are made of serverless indexes only.`);
  }
  requireReady(name, state);
}

/** @throws invalid-argument, index-not-found, index-not-ready */
export function requireCollectionSource({ name, state, deployment: { kind } }: Index): void {
  if (kind !== 'pod') {
    throw invalid(`Index ${name} is a ${kind} index; collections are made of pod indexes only.`);
  }
  requireReady(name, state);
}

/** An index that is being deleted is no longer there for those who would copy it: retries are of no use. */
function requireReady(name: string, state: Index['state']): void {
  if (state === 'Terminating') throw fault('index-not-found', { name });
  if (!isReady(state)) throw fault('index-not-ready', { name });
}

/** A checked request for an index from a backup. Absent fields come from the backup or take their defaults. */
export interface RequestedRestore {
  readonly name: string;
  readonly tags?: Tags;
  readonly deletionProtection?: DeletionProtection;
  readonly readCapacity?: ReadCapacity;
}

export function restoredIndex({ id, source }: Archive, requested: RequestedRestore): NewIndex {
  return indexLike(source, requested, id);
}

/** @param backupId null where the records do not come from a backup */
export function indexLike(source: Index, requested: RequestedRestore, backupId: string | null): NewIndex {
  const { vectorType, metric, dimension, embed, documents } = source;
  return {
    name: requested.name,
    vectorType,
    metric,
    dimension,
    embed,
    documents,
    deployment: restoredDeployment(source.deployment, backupId, requested.readCapacity ?? ON_DEMAND),
    deletionProtection: requested.deletionProtection ?? 'disabled',
    tags: requested.tags ?? source.tags,
    // What had expired stays so.
    ...(source.timeToLive !== undefined && { timeToLive: source.timeToLive }),
    ...(source.promisedRecall !== undefined && { promisedRecall: source.promisedRecall }),
    ...(source.memoryProfile !== undefined && { memoryProfile: source.memoryProfile }),
  };
}

function restoredDeployment(
  deployment: Deployment,
  backupId: string | null,
  readCapacity: ReadCapacity,
): Deployment {
  if (deployment.kind !== 'serverless') return deployment;
  const { sourceBackupId: _, ...own } = deployment;
  const source = backupId === null ? {} : { sourceBackupId: backupId };
  return { ...own, readCapacity, sourceCollection: null, ...source };
}

/** Checks that the index can take the records of the collection. @throws invalid-argument */
export function requireFit({ name, source }: Archive, requested: NewIndex): void {
  if (requested.dimension !== source.dimension) {
    throw invalid(
      `dimension ${requested.dimension} does not match the dimension of collection ${name}, ${source.dimension}.`,
    );
  }
  if (requested.vectorType !== source.vectorType) {
    throw invalid(`An index of collection ${name} has its vector type, ${source.vectorType}.`);
  }
  const filterable = filterableFieldsOf(requested.deployment);
  const { field } = source.timeToLive ?? {};
  if (field !== undefined && filterable !== null && !filterable.includes(field)) {
    throw invalid(
      `Records of collection ${name} expire by field '${field}', which filters must be able to use.`,
    );
  }
}
