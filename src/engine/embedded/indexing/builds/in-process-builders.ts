// Builds graphs in the calling thread, a few milliseconds at a time: for tests and tools.
import { type Kernel, loadKernel } from '../../kernels/kernel.ts';
import { type BuildScratch, scratchOf } from './build-scratch.ts';
import { buildSteps, scratchBytesFor } from './build-steps.ts';
import type { BuildAnswer, Builders, BuildJob } from './builders.ts';

/** Work between two turns of the event loop. */
const SLICE_MS = 4;

type Place = { readonly kernel: Kernel; room: BuildScratch | null };

export class InProcessBuilders implements Builders {
  readonly count: number = 1;
  readonly #places = new WeakMap<WebAssembly.Memory, Place>();
  #last: Promise<unknown> = Promise.resolve();

  run(memory: WebAssembly.Memory, job: BuildJob): Promise<BuildAnswer> {
    const answer = this.#last.then(() => this.#do(memory, job));
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  async #do(memory: WebAssembly.Memory, job: BuildJob): Promise<BuildAnswer> {
    const place = this.#placeIn(memory);
    place.room = scratchOf(memory, scratchBytesFor(job), place.room);
    const steps = buildSteps({ kernel: place.kernel, memory }, place.room.address, job);
    for (let sliceEnd = performance.now() + SLICE_MS; ; ) {
      const step = steps.next();
      if (step.done === true) return step.value;
      if (performance.now() < sliceEnd) continue;
      await new Promise(setImmediate);
      sliceEnd = performance.now() + SLICE_MS;
    }
  }

  #placeIn(memory: WebAssembly.Memory): Place {
    const known = this.#places.get(memory);
    if (known !== undefined) return known;
    const place = { kernel: loadKernel(memory), room: null };
    this.#places.set(memory, place);
    return place;
  }
}
