// Background work on graphs: the jobs of an index's writer, and the builders that run them beside queries.
import type { ClusterTraining } from '../../ann/cluster-training.ts';
import type { Address } from '../../kernels/kernel-interface.ts';

/** A step of work on one graph. All addresses lie in the arena that `run` is given. */
export type BuildJob =
  | {
      readonly kind: 'insert';
      readonly graph: Address;
      /** Encoded and not yet in the graph; inserted in this order. */
      readonly slots: Uint32Array;
      readonly slotLimit: number;
      readonly efConstruction: number;
    }
  | {
      readonly kind: 'consolidate-deletes';
      readonly graph: Address;
      /** Bit i of a u32 array: slot i stays. */
      readonly live: Address;
      readonly from: number;
      readonly until: number;
      readonly slotLimit: number;
      readonly efConstruction: number;
    }
  | {
      readonly kind: 'drop-deleted';
      readonly graph: Address;
      readonly live: Address;
      readonly slotLimit: number;
      readonly efConstruction: number;
    }
  | ({ readonly kind: 'train-clusters' } & ClusterTraining);

export interface BuildAnswer {
  /** Slots whose rows codes cannot represent: they are not in the graph. */
  readonly refused: readonly number[];
  /** Number of clusters trained; 0 for other jobs. */
  readonly clusters: number;
}

export interface Builders {
  /** Jobs that can run at once; more wait. */
  readonly count: number;
  /**
   * Runs a job. The caller keeps all memory that it names until the promise settles, whatever the outcome.
   * @throws when the builder died meanwhile: the graph must not be used any more
   */
  run(memory: WebAssembly.Memory, job: BuildJob): Promise<BuildAnswer>;
}
