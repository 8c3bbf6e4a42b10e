// An answer whose buffers move to the caller instead of being copied.
import type { Transferable } from 'node:worker_threads';

export class Moved<Value> {
  readonly value: Value;
  readonly transfer: readonly Transferable[];

  /** @param transfer buffers and ports of the value, which this side must no longer use */
  constructor(value: Value, transfer: readonly Transferable[]) {
    this.value = value;
    this.transfer = transfer;
  }
}
