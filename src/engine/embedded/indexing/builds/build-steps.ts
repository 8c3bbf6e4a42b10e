// A job on a graph as a series of short steps, between which a builder can yield to others.
import { trainClusters, trainingScratchBytes } from '../../ann/cluster-training.ts';
import { type GraphScratch, graphScratchBytes } from '../../kernels/graph.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { BuildAnswer, BuildJob } from './builders.ts';

/** Most nodes a beam holds: ample for every efConstruction in use. */
const BEAM_CAPACITY_MIN = 1_024;
const BEAM_CAPACITY_PER_EF = 4;
/** Slots consolidated in a step, which takes about as long as an insertion. */
const NODES_A_STEP = 64;

/** Capacity of the beams of a job. */
function beamCapacityFor(job: Exclude<BuildJob, { kind: 'train-clusters' }>): number {
  return Math.max(BEAM_CAPACITY_MIN, job.efConstruction * BEAM_CAPACITY_PER_EF);
}

/** Bytes of scratch memory that a job needs. */
export function scratchBytesFor(job: BuildJob): number {
  if (job.kind === 'train-clusters') return trainingScratchBytes(job);
  return graphScratchBytes({
    beamCapacity: beamCapacityFor(job),
    slots: job.slotLimit,
    forDeletion: job.kind !== 'insert',
  });
}

/** Bytes of scratch memory that suffice for any job on a graph of so many slots. */
export function scratchBytesMax(slots: number, dimension: number): number {
  const removal = graphScratchBytes({ beamCapacity: BEAM_CAPACITY_MIN, slots, forDeletion: true });
  return Math.max(removal, trainingScratchBytes({ dim: dimension, slotLimit: slots }));
}

/** Where a job runs: a memory and the thread's kernel on it. */
export interface BuildPlace {
  readonly kernel: Kernel;
  readonly memory: WebAssembly.Memory;
}

/** Runs a job; yields after each step but the last. Dropping is a single step. */
export function* buildSteps(
  { kernel, memory }: BuildPlace,
  address: GraphScratch['address'],
  job: BuildJob,
): Generator<void, BuildAnswer> {
  if (job.kind === 'train-clusters') {
    const clusters = yield* trainClusters(kernel, memory, { training: job, scratch: address });
    return { refused: [], clusters };
  }
  const { graph: graphKernel } = kernel;
  const scratch = { address, beamCapacity: beamCapacityFor(job) };
  const refused: number[] = [];
  switch (job.kind) {
    case 'insert': {
      const { graph, slotLimit, efConstruction } = job;
      for (const slot of job.slots) {
        if (!graphKernel.insert({ graph, slot, slotLimit, efConstruction, scratch })) refused.push(slot);
        yield;
      }
      break;
    }
    case 'consolidate-deletes': {
      const { graph, live, slotLimit, efConstruction } = job;
      for (let from = job.from; from < job.until; from += NODES_A_STEP) {
        const until = Math.min(from + NODES_A_STEP, job.until);
        graphKernel.consolidateDeletes({ graph, live, from, until, slotLimit, efConstruction, scratch });
        yield;
      }
      break;
    }
    case 'drop-deleted': {
      const { graph, live, slotLimit, efConstruction } = job;
      graphKernel.dropDeleted({ graph, live, slotLimit, efConstruction, scratch });
      break;
    }
  }
  return { refused, clusters: 0 };
}
