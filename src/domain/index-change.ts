// Applies changes of capacity and pods to an index, and completes them.
import type { TimeToLive } from './expiry/time-to-live.ts';
import { type Fault, invalid } from './faults.ts';
import type { IndexChange } from './index-lifecycle.ts';
import type { Deployment, Index, IndexState } from './index-model.ts';
import type { MemoryProfile } from './memory-profile.ts';
import { checkPodCount, grownPodType } from './pods.ts';
import { changedCapacity, requireSettled, settledCapacity } from './read-capacity.ts';
import { mergeTags } from './tags.ts';

/**
 * Returns the index after a change. Capacity and pod changes stay in progress until `settled` completes them.
 * @throws invalid-argument when the change does not fit the index; capacity-change-running
 */
export function changedIndex(index: Index, change: IndexChange): Index {
  requireKind(index, change);
  const scaled = scaledPods(withCapacity(index, change), change);
  const changed = {
    ...scaled,
    deletionProtection: change.deletionProtection ?? index.deletionProtection,
    tags: change.tags === undefined ? index.tags : mergeTags(index.tags, change.tags),
    embed: change.embed === undefined ? index.embed : change.embed(index),
    documents: change.documents === undefined ? index.documents : change.documents(index),
  };
  const lasting = change.timeToLive === undefined ? changed : expiring(changed, change.timeToLive);
  const promised = change.promisedRecall === undefined ? lasting : promising(lasting, change.promisedRecall);
  const next = change.memoryProfile === undefined ? promised : remembering(promised, change.memoryProfile);
  return change.vectors === undefined ? next : change.vectors(next);
}

function expiring({ timeToLive: _, ...index }: Index, timeToLive: TimeToLive | null): Index {
  return timeToLive === null ? index : { ...index, timeToLive };
}

function promising({ promisedRecall: _, ...index }: Index, promisedRecall: number | null): Index {
  return promisedRecall === null ? index : { ...index, promisedRecall };
}

function remembering({ memoryProfile: _, ...index }: Index, memoryProfile: MemoryProfile | null): Index {
  return memoryProfile === null ? index : { ...index, memoryProfile };
}

/** True when no change of capacity or pods is in progress. */
export function isSettled(index: Index): boolean {
  const { deployment, state } = index;
  const capacitySettled =
    deployment.kind === 'pod' ||
    deployment.readCapacity.mode === 'OnDemand' ||
    deployment.readCapacity.state === 'Ready';
  return capacitySettled && !SCALING_STATES.has(state);
}

/** Returns the index with its changes completed. */
export function settled(index: Index): Index {
  const { deployment } = index;
  const arrived: Deployment =
    deployment.kind === 'pod'
      ? deployment
      : { ...deployment, readCapacity: settledCapacity(deployment.readCapacity) };
  return { ...index, deployment: arrived, state: SCALING_STATES.has(index.state) ? 'Ready' : index.state };
}

const SCALING_STATES: ReadonlySet<IndexState> = new Set(['ScalingUp', 'ScalingDown', 'ScalingUpPodSize']);

function requireKind(index: Index, { deploymentKind }: IndexChange): void {
  const { kind } = index.deployment;
  if (deploymentKind === undefined || deploymentKind === kind) return;
  if (deploymentKind === 'pod') throw notPods(index);
  throw invalid(
    `Index ${index.name} is a ${kind} index; a change of its ${deploymentKind} settings does not apply.`,
  );
}

function notPods({ name, deployment: { kind } }: Index): Fault {
  return invalid(
    `Configuring replicas and pod type is not supported for ${kind} indexes, and index ${name} is one. Cannot change the capacity mode of an existing index.`,
  );
}

function withCapacity(index: Index, { readCapacity: requested }: IndexChange): Index {
  const { deployment, name } = index;
  if (requested === undefined) return index;
  if (deployment.kind === 'pod') throw invalid(`Index ${name} is a pod index; it has no read capacity.`);
  requireSettled(deployment.readCapacity, name);
  const readCapacity = changedCapacity(deployment.readCapacity, requested);
  return { ...index, deployment: { ...deployment, readCapacity } };
}

function scaledPods(index: Index, change: IndexChange): Index {
  const { deployment } = index;
  if (change.podType === undefined && change.replicas === undefined) return index;
  if (deployment.kind !== 'pod') {
    throw notPods(index);
  }
  const podType =
    change.podType === undefined ? deployment.podType : grownPodType(deployment.podType, change.podType);
  const replicas = change.replicas ?? deployment.replicas;
  checkPodCount('replicas', replicas);
  const state = podState(index.state, deployment, { podType, replicas });
  return { ...index, deployment: { ...deployment, podType, replicas }, state };
}

type Pods = { readonly podType: string; readonly replicas: number };

function podState(state: IndexState, before: Pods, after: Pods): IndexState {
  if (after.podType !== before.podType) return 'ScalingUpPodSize';
  if (after.replicas === before.replicas) return state;
  return after.replicas > before.replicas ? 'ScalingUp' : 'ScalingDown';
}
