// A job on a graph as a series of short steps, so that whoever does it can stop in between and let others go first.

import { trainingScratchBytes, trainRegions } from '../../ann/cluster-training.ts';
import { type GraphScratch, graphScratchBytes } from '../../kernels/graph.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { BuildAnswer, BuildJob } from './builders.ts';

/** Most nodes a beam holds: ample for the breadths graphs are built with. */
const PLACES_MIN = 1_024;
const PLACES_PER_BREADTH = 4;
/** Slots bridged in a step: about as long as an insertion takes. */
const BRIDGED_A_STEP = 64;

/** Places of the beams of a job. */
function placesFor(job: Exclude<BuildJob, { kind: 'regroup' }>): number {
  return Math.max(PLACES_MIN, job.breadth * PLACES_PER_BREADTH);
}

/** Bytes of scratch that a job needs. */
export function scratchBytesFor(job: BuildJob): number {
  if (job.kind === 'regroup') return trainingScratchBytes(job);
  return graphScratchBytes({
    places: placesFor(job),
    slots: job.slotLimit,
    forRemoval: job.kind !== 'insert',
  });
}

/** Bytes of scratch that any job on a graph of so many slots needs. */
export function scratchBytesMax(slots: number, dimension: number): number {
  const removal = graphScratchBytes({ places: PLACES_MIN, slots, forRemoval: true });
  return Math.max(removal, trainingScratchBytes({ dim: dimension, slotLimit: slots }));
}

/** Where a job is done: a memory and the thread's kernel over it. */
export interface BuildPlace {
  readonly kernel: Kernel;
  readonly memory: WebAssembly.Memory;
}

/** Does a job; yields after each step but the last. Dropping is one step, whatever it takes. */
export function* buildSteps(
  { kernel, memory }: BuildPlace,
  address: GraphScratch['address'],
  job: BuildJob,
): Generator<void, BuildAnswer> {
  if (job.kind === 'regroup') {
    const regions = yield* trainRegions(kernel, memory, { training: job, scratch: address });
    return { refused: [], regions };
  }
  const { graph: graphKernel } = kernel;
  const scratch = { address, places: placesFor(job) };
  const refused: number[] = [];
  switch (job.kind) {
    case 'insert': {
      const { graph, slotLimit, breadth } = job;
      for (const slot of job.slots) {
        if (!graphKernel.insert({ graph, slot, slotLimit, breadth, scratch })) refused.push(slot);
        yield;
      }
      break;
    }
    case 'bridge': {
      const { graph, live, slotLimit, breadth } = job;
      for (let from = job.from; from < job.until; from += BRIDGED_A_STEP) {
        const until = Math.min(from + BRIDGED_A_STEP, job.until);
        graphKernel.bridgeRemoved({ graph, live, from, until, slotLimit, breadth, scratch });
        yield;
      }
      break;
    }
    case 'drop': {
      const { graph, live, slotLimit, breadth } = job;
      graphKernel.dropRemoved({ graph, live, slotLimit, breadth, scratch });
      break;
    }
  }
  return { refused, regions: 0 };
}
