// A builder thread: does the jobs of all writer threads, one after the other, stepping back for queries in between.
import type { MessagePort } from 'node:worker_threads';
import { releaseMemorySoon } from '../../../../platform/native/release-memory.ts';
import { type Kernel, loadKernel } from '../../kernels/kernel.ts';
import { ArenaFull } from '../../memory/allocator.ts';
import type { BuildPause } from './build-pause.ts';
import { type BuildScratch, scratchOf } from './build-scratch.ts';
import { buildSteps, scratchBytesFor } from './build-steps.ts';
import type { BuildAnswer, BuildJob } from './builders.ts';
import type { BuilderAnswer, BuilderRequest } from './protocol.ts';

interface Place {
  readonly memory: WebAssembly.Memory;
  readonly kernel: Kernel;
  room: BuildScratch | null;
}

export class BuilderThread {
  readonly #pause: BuildPause;

  constructor(pause: BuildPause) {
    this.#pause = pause;
  }

  /** Takes jobs from a writer thread. What it holds of that writer's memories goes with the port. */
  serve(port: MessagePort): void {
    const places = new Map<number, Place>();
    port.on('message', (request: BuilderRequest) => {
      if (request.type === 'forget') {
        places.delete(request.memoryId);
        releaseMemorySoon();
      } else port.postMessage(this.#answer(places, request));
    });
    port.on('close', () => places.clear());
  }

  #answer(
    places: Map<number, Place>,
    { jobId, memoryId, introduction, job }: Extract<BuilderRequest, { type: 'job' }>,
  ): BuilderAnswer {
    if (introduction !== null)
      places.set(memoryId, { ...introduction, kernel: loadKernel(introduction.memory) });
    const place = places.get(memoryId);
    if (place === undefined) throw new Error(`a job on a memory (${memoryId}) nobody has introduced`);
    try {
      const room = scratchOf(place.memory, scratchBytesFor(job), place.room);
      place.room = room;
      return { type: 'done', jobId, ...this.#run(place, room, job), room };
    } catch (error) {
      // Anything else may have left nodes locked, on which other builders would wait forever: this thread must die of it.
      if (error instanceof ArenaFull) return { type: 'full', jobId };
      throw error;
    }
  }

  #run(place: Place, { address }: BuildScratch, job: BuildJob): BuildAnswer {
    const steps = buildSteps(place, address, job);
    this.#pause.begin();
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      this.#pause.rest();
    }
  }
}
