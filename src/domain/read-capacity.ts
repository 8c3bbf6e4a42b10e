// Read capacity: valid requests, and the states of a change.
import { fault, invalid } from './faults.ts';
import type { DedicatedCapacity, ReadCapacity } from './index-model.ts';

export const NODE_TYPES: readonly string[] = ['b1', 't1'];

/** The requested capacity; on a dedicated index, absent parts keep their values. */
export interface RequestedCapacity {
  readonly mode: string;
  readonly dedicated?:
    | {
        readonly nodeType?: string | undefined;
        readonly scaling?: string | undefined;
        readonly replicas?: number | undefined;
        readonly shards?: number | undefined;
      }
    | undefined;
}

export const ON_DEMAND: ReadCapacity = { mode: 'OnDemand' };

/** Returns the capacity of a new index, in force at once. @throws invalid-argument */
export function initialCapacity(requested: RequestedCapacity): ReadCapacity {
  return settledCapacity(changedCapacity(ON_DEMAND, requested));
}

/**
 * Returns the capacity after a change, which is in progress when anything differs.
 * @throws invalid-argument
 */
export function changedCapacity(current: ReadCapacity, requested: RequestedCapacity): ReadCapacity {
  if (requested.mode === 'OnDemand') {
    if (requested.dedicated !== undefined)
      throw invalid('read_capacity of mode OnDemand takes no dedicated key.');
    return ON_DEMAND;
  }
  if (requested.mode !== 'Dedicated') throw invalid('read_capacity.mode must be OnDemand or Dedicated.');
  const before = current.mode === 'Dedicated' ? current : undefined;
  const dedicated = dedicatedCapacity(before?.dedicated, requested);
  if (before === undefined) return { mode: 'Dedicated', dedicated, state: 'Scaling', current: null };
  const { nodeType, replicas, shards } = before.dedicated;
  if (dedicated.nodeType !== nodeType) return { ...before, dedicated, state: 'Migrating' };
  const same = dedicated.replicas === replicas && dedicated.shards === shards;
  return same ? before : { ...before, dedicated, state: 'Scaling' };
}

/** Returns the capacity with its change completed. */
export function settledCapacity(capacity: ReadCapacity): ReadCapacity {
  if (capacity.mode === 'OnDemand') return capacity;
  const { replicas, shards } = capacity.dedicated;
  return { ...capacity, state: 'Ready', current: { replicas, shards } };
}

/** @throws capacity-change-running */
export function requireSettled(capacity: ReadCapacity, name: string): void {
  if (capacity.mode === 'Dedicated' && capacity.state !== 'Ready') {
    throw fault('capacity-change-running', { name });
  }
}

function dedicatedCapacity(
  before: DedicatedCapacity | undefined,
  { dedicated: requested = {} }: RequestedCapacity,
): DedicatedCapacity {
  if (before === undefined) requireAll(requested);
  const scalesManually = requested.replicas !== undefined || requested.shards !== undefined;
  if (scalesManually && requested.scaling === undefined) {
    throw invalid('read_capacity.dedicated.scaling is required with manual.');
  }
  if (requested.scaling !== undefined && requested.scaling !== 'Manual') {
    throw invalid('read_capacity.dedicated.scaling must be Manual.');
  }
  if (requested.scaling !== undefined && !scalesManually) {
    throw invalid('read_capacity.dedicated.manual is required with scaling.');
  }
  const nodeType = requested.nodeType ?? before?.nodeType;
  if (nodeType === undefined || !NODE_TYPES.includes(nodeType)) {
    throw invalid(`read_capacity.dedicated.node_type must be ${NODE_TYPES.join(' or ')}.`);
  }
  return {
    nodeType,
    scaling: 'Manual',
    replicas: count('replicas', 0, requested.replicas ?? before?.replicas),
    shards: count('shards', 1, requested.shards ?? before?.shards),
  };
}

/** Nothing can be kept of an index without dedicated capacity. */
function requireAll({
  nodeType,
  scaling,
  replicas,
  shards,
}: Partial<NonNullable<RequestedCapacity['dedicated']>>): void {
  const parts = { node_type: nodeType, scaling, 'manual.replicas': replicas, 'manual.shards': shards };
  const missing = Object.entries(parts).flatMap(([name, value]) => (value === undefined ? [name] : []));
  if (missing.length > 0)
    throw invalid(`read_capacity of mode Dedicated lacks these parts of dedicated: ${missing.join(', ')}.`);
}

function count(field: 'replicas' | 'shards', minimum: number, value: number | undefined): number {
  if (value === undefined || !Number.isSafeInteger(value) || value < minimum) {
    throw invalid(`read_capacity.dedicated.manual.${field} must be an integer of at least ${minimum}.`);
  }
  return value;
}
