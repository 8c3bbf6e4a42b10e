// A thread that inserts into a graph; for tests of concurrency.
import { parentPort, workerData } from 'node:worker_threads';
import { loadKernel } from '../kernel.ts';
import type { GraphLayout } from './graph-fixture.ts';

/** What the thread is started with. */
export interface InserterTask {
  readonly memory: WebAssembly.Memory;
  readonly layout: GraphLayout;
  /** Slots first, first + step, ... are inserted. */
  readonly first: number;
  readonly step: number;
  readonly efConstruction: number;
}

const { memory, layout, first, step, efConstruction } = workerData as InserterTask;
const { graph } = loadKernel(memory, 'plain');
for (let slot = first; slot < layout.slots; slot += step) {
  const work = { graph: layout.graph, slotLimit: layout.slots, scratch: layout.scratches[1] };
  graph.insert({ ...work, slot, efConstruction });
}
parentPort?.postMessage('done');
