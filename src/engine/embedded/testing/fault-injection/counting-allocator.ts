// Watches every allocator of a test: what is taken and given back, what is given back twice, and fails where told to.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Allocator, ArenaFull, BLOCK_BYTES } from '../../memory/allocator.ts';
import { FRAME_BYTES } from '../../memory/arena.ts';

interface Held {
  readonly frames: Set<number>;
  readonly blocks: Set<number>;
}

export class AllocatorWatch {
  /** The allocation that fails, from 1; 0 for none. */
  failAt = 0;
  count = 0;
  readonly #held = new Map<Allocator, Held>();
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
        const held = watch.#heldBy(this);
        for (const address of gone)
          assert.ok(held.frames.delete(address), `frame ${address} is given back twice`);
        for (const address of cut)
          assert.ok(held.blocks.delete(address), `block ${address} is given back twice`);
        retire.call(this, gone, cut);
      },
    );
  }

  /** Frames and blocks that somebody has. */
  get held(): { readonly frames: number; readonly blocks: number } {
    let [frames, blocks] = [0, 0];
    for (const each of this.#held.values()) {
      frames += each.frames.size;
      blocks += each.blocks.size;
    }
    return { frames, blocks };
  }

  /** What is held now is gone with its arenas. */
  forget(): void {
    this.#held.clear();
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

  #take(allocator: Allocator, kind: keyof Held, address: number, bytes: number): void {
    const held = this.#heldBy(allocator);
    assert.equal(address % bytes, 0);
    assert.ok(!held[kind].has(address), `${address} of ${kind} is handed out twice`);
    held[kind].add(address);
  }

  #heldBy(allocator: Allocator): Held {
    const known = this.#held.get(allocator);
    if (known !== undefined) return known;
    const held = { frames: new Set<number>(), blocks: new Set<number>() };
    this.#held.set(allocator, held);
    return held;
  }
}
