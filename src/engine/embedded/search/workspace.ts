// Private memory for the kernel to work in, with areas laid out per use.
import { type Kernel, loadKernel } from '../kernels/kernel.ts';
import { Arena } from '../memory/arena.ts';
import { Scratch } from './scratch.ts';

export interface Workspace {
  readonly arena: Arena;
  readonly kernel: Kernel;
  readonly scratch: Scratch;
}

/** A reader's workspace in an index's arena, from which the kernel sees the index's frames. */
export function workspaceIn(arena: Arena): Workspace {
  return { arena, kernel: loadKernel(arena.memory), scratch: new Scratch(arena) };
}

/** A workspace apart from any index. */
export function privateWorkspace(): Workspace {
  return workspaceIn(Arena.create());
}

/** Lays out areas one after the other, each 64-byte aligned. */
export class Layout {
  #end = 0;

  /**
   * Adds an area.
   * @returns its offset
   * @throws RangeError for less than 0 bytes, which would place the next area over this one
   */
  add(bytes: number): number {
    if (!(bytes >= 0)) throw new RangeError(`an area of ${bytes} bytes`);
    const at = this.#end;
    this.#end = Math.ceil((at + bytes) / 64) * 64;
    return at;
  }

  get bytes(): number {
    return this.#end;
  }
}
