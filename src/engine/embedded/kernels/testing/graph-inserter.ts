// A thread that inserts into a graph; for tests of work at the same time.
import { parentPort, workerData } from 'node:worker_threads';
import { loadKernel } from '../kernel.ts';
import type { GraphPlaces } from './graph-fixture.ts';

/** What the thread is started with. */
export interface InserterTask {
  readonly memory: WebAssembly.Memory;
  readonly places: GraphPlaces;
  /** Slots first, first + step, ... are inserted. */
  readonly first: number;
  readonly step: number;
  readonly breadth: number;
}

const { memory, places, first, step, breadth } = workerData as InserterTask;
const { graph } = loadKernel(memory, 'plain');
for (let slot = first; slot < places.slots; slot += step) {
  const work = { graph: places.graph, slotLimit: places.slots, scratch: places.scratches[1] };
  graph.insert({ ...work, slot, breadth });
}
parentPort?.postMessage('done');
