// A builder thread: runs the jobs of all writer threads, one after the other, and yields to queries in between.
import type { MessagePort } from 'node:worker_threads';
import { releaseMemorySoon } from '../../../../platform/native/release-memory.ts';
import { ChannelServer } from '../../../../platform/worker-channel/channel-server.ts';
import { portEndpoint } from '../../../../platform/worker-channel/endpoint.ts';
import { type Kernel, loadKernel } from '../../kernels/kernel.ts';
import { ArenaFull } from '../../memory/allocator.ts';
import type { BuildPause } from './build-pause.ts';
import { type BuildScratch, scratchOf } from './build-scratch.ts';
import { buildSteps, scratchBytesFor } from './build-steps.ts';
import type { BuildAnswer, BuildJob } from './builders.ts';
import {
  BUILDER_CODEC,
  type BuilderMethods,
  type ForgetNotice,
  type JobAnswer,
  type JobRequest,
} from './protocol.ts';

interface IntroducedMemory {
  readonly memory: WebAssembly.Memory;
  readonly kernel: Kernel;
  scratch: BuildScratch | null;
}

export class BuilderThread {
  readonly #pause: BuildPause;

  constructor(pause: BuildPause) {
    this.#pause = pause;
  }

  /** Serves a writer thread. Its references to that writer's memories go with the port. */
  serve(port: MessagePort): void {
    const memories = new Map<number, IntroducedMemory>();
    new ChannelServer<BuilderMethods, ForgetNotice>(
      portEndpoint(port),
      { run: (request) => this.#answer(memories, request) },
      {
        codec: BUILDER_CODEC,
        // Anything else may have left nodes locked, on which other builders would wait forever.
        isFatal: (error) => !(error instanceof ArenaFull),
        onNotice: (memoryId) => {
          memories.delete(memoryId);
          releaseMemorySoon();
        },
        onEnd: () => memories.clear(),
      },
    );
  }

  /** @throws ArenaFull when nothing was changed, for want of scratch */
  #answer(memories: Map<number, IntroducedMemory>, { memoryId, introduction, job }: JobRequest): JobAnswer {
    if (introduction !== null)
      memories.set(memoryId, { ...introduction, kernel: loadKernel(introduction.memory) });
    const introduced = memories.get(memoryId);
    if (introduced === undefined) throw new Error(`a job on a memory (${memoryId}) nobody has introduced`);
    const scratch = scratchOf(introduced.memory, scratchBytesFor(job), introduced.scratch);
    introduced.scratch = scratch;
    return { ...this.#run(introduced, scratch, job), scratch };
  }

  #run(introduced: IntroducedMemory, { address }: BuildScratch, job: BuildJob): BuildAnswer {
    const steps = buildSteps(introduced, address, job);
    this.#pause.begin();
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      this.#pause.pause();
    }
  }
}
