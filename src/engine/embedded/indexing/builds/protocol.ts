// What a writer thread calls builder threads for.
import type { ErrorCodec } from '../../../../platform/worker-channel/errors.ts';
import { ArenaFull } from '../../memory/allocator.ts';
import type { BuildScratch } from './build-scratch.ts';
import type { BuildAnswer, BuildJob } from './builders.ts';

/** The first time a builder hears of a memory. */
export interface MemoryIntroduction {
  readonly memory: WebAssembly.Memory;
  /** What an earlier builder of the same number left there. */
  readonly scratch: BuildScratch | null;
}

export interface JobRequest {
  /** Memories have numbers, because every copy of one is another object. */
  readonly memoryId: number;
  readonly introduction: MemoryIntroduction | null;
  readonly job: BuildJob;
}

export interface JobAnswer extends BuildAnswer {
  readonly scratch: BuildScratch;
}

/** A builder does one job at a time. */
export interface BuilderMethods {
  readonly run: { readonly request: JobRequest; readonly response: JobAnswer };
}

/** Writer -> builder: nobody uses the memory of this number any more. */
export type ForgetNotice = number;

/** ArenaFull alone crosses: a builder dies of every other error. */
export const BUILDER_CODEC: ErrorCodec<string> = {
  encode: (error) => String(error),
  decode: () => new ArenaFull('the index memory is full: no scratch memory to build a graph'),
};
