// What the memory of a graph and of its clusters work with.
import type { Metric } from '../../../domain/index-model.ts';
import type { Kernel } from '../kernels/kernel.ts';
import type { Allocator } from '../memory/allocator.ts';
import type { Arena } from '../memory/arena.ts';

export interface GraphContext {
  readonly arena: Arena;
  readonly allocator: Allocator;
  readonly kernel: Kernel;
  readonly dimension: number;
  readonly metric: Metric;
  /** True for nodes with binary codes. */
  readonly hasNodeCodes: boolean;
}
