// Tracks every allocator of a test: leaks, double frees, and an allocation that fails on request.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Allocator, ArenaFull, BLOCK_BYTES } from '../../memory/allocator.ts';
import { FRAME_BYTES } from '../../memory/arena.ts';

interface Allocated {
  readonly frames: Set<number>;
  readonly blocks: Set<number>;
}

export class AllocatorWatch {
  /** The allocation that fails, from 1; 0 for none. */
  failAt = 0;
  count = 0;
  readonly #allocated = new Map<Allocator, Allocated>();
  #depth = 0;

  constructor(test: TestContext) {
    const watch = this;
    const proto = Allocator.prototype;
    const { block, frame, frames, retire } = proto;
    test.mock.method(proto, 'block', function (this: Allocator) {
      const address = watch.#inside(() => block.call(this));
      if (watch.#depth === 0) watch.#take(this, 'blocks', address, BLOCK_BYTES);
      return address;
    });
    test.mock.method(proto, 'frame', function (this: Allocator) {
      const address = watch.#inside(() => frame.call(this));
      if (watch.#depth === 0) watch.#take(this, 'frames', address, FRAME_BYTES);
      return address;
    });
    test.mock.method(proto, 'frames', function (this: Allocator, count: number) {
      const address = watch.#inside(() => frames.call(this, count));
      if (watch.#depth === 0)
        for (let i = 0; i < count; i++) watch.#take(this, 'frames', address + i * FRAME_BYTES, FRAME_BYTES);
      return address;
    });
    test.mock.method(
      proto,
      'retire',
      function (this: Allocator, gone: readonly number[], cut: readonly number[]) {
        const allocated = watch.#allocatedBy(this);
        for (const address of gone)
          assert.ok(allocated.frames.delete(address), `frame ${address} is freed twice`);
        for (const address of cut)
          assert.ok(allocated.blocks.delete(address), `block ${address} is freed twice`);
        retire.call(this, gone, cut);
      },
    );
  }

  /** Number of allocated frames and blocks. */
  get allocated(): { readonly frames: number; readonly blocks: number } {
    let [frames, blocks] = [0, 0];
    for (const each of this.#allocated.values()) {
      frames += each.frames.size;
      blocks += each.blocks.size;
    }
    return { frames, blocks };
  }

  /** Forgets what is allocated: its arenas are gone. */
  forget(): void {
    this.#allocated.clear();
  }

  #inside(work: () => number): number {
    if (this.#depth === 0 && ++this.count === this.failAt) throw new ArenaFull();
    this.#depth++;
    try {
      return work();
    } finally {
      this.#depth--;
    }
  }

  #take(allocator: Allocator, kind: keyof Allocated, address: number, bytes: number): void {
    const allocated = this.#allocatedBy(allocator);
    assert.equal(address % bytes, 0);
    assert.ok(!allocated[kind].has(address), `${address} of ${kind} is allocated twice`);
    allocated[kind].add(address);
  }

  #allocatedBy(allocator: Allocator): Allocated {
    const known = this.#allocated.get(allocator);
    if (known !== undefined) return known;
    const allocated = { frames: new Set<number>(), blocks: new Set<number>() };
    this.#allocated.set(allocator, allocated);
    return allocated;
  }
}
