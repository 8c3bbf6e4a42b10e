// Messages between a writer thread and builder threads.
import type { BuildScratch } from './build-scratch.ts';
import type { BuildJob } from './builders.ts';

/** The first time a builder hears of a memory. */
export interface MemoryIntroduction {
  readonly memory: WebAssembly.Memory;
  /** What an earlier builder of the same number left there. */
  readonly room: BuildScratch | null;
}

/** Writer -> builder. Memories have numbers, because every copy of one is another object. */
export type BuilderRequest =
  | {
      readonly type: 'job';
      readonly jobId: number;
      readonly memoryId: number;
      readonly introduction: MemoryIntroduction | null;
      readonly job: BuildJob;
    }
  | { readonly type: 'forget'; readonly memoryId: number };

/** Builder -> writer. */
export type BuilderAnswer =
  | {
      readonly type: 'done';
      readonly jobId: number;
      readonly refused: readonly number[];
      readonly clusters: number;
      readonly room: BuildScratch;
    }
  /** Nothing was changed: the arena has no room for the builder's scratch. */
  | { readonly type: 'full'; readonly jobId: number };
