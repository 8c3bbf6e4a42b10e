// Lengths of fields: what a saved file has of slots that were appended while it was written is forgotten.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { FieldLengths } from './field-lengths.ts';
import { arenaMemory, newArena } from './testing/arena-memory.ts';

const SLOTS = 100_000;

function tokensIn(lengths: FieldLengths, live: Uint32Array): number {
  const blocks = lengths.tokensIn(live);
  for (;;) {
    const { done, value } = blocks.next();
    if (done === true) return value;
  }
}

it('count no tokens of slots from the last saved one on', () => {
  const lengths = new FieldLengths(arenaMemory(newArena()));
  for (let slot = 0; slot < SLOTS; slot += 10) lengths.set(slot, 3);
  const live = new Uint32Array(Math.ceil(SLOTS / 32)).fill(0xffffffff);
  assert.equal(tokensIn(lengths, live), (3 * SLOTS) / 10);
  for (const slotCount of [70_001, 40_000, 11, 0]) {
    lengths.clearFrom(slotCount);
    assert.equal(tokensIn(lengths, live), 3 * Math.ceil(slotCount / 10), `${slotCount} slots`);
  }
});
