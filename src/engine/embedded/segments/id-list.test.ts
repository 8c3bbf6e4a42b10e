// A list of ids returns what was added to it, wherever its blocks lie and after it was restored.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { BLOCK_BYTES } from '../memory/allocator.ts';
import { Arena, FRAME_BYTES } from '../memory/arena.ts';
import { ID_BYTES_MAX, IdList, NO_ID, readIds } from './id-list.ts';

const FRAMES = 8;

/** Blocks of an arena, the last first, full of old bytes. */
function openArena() {
  const arena = Arena.create(FRAMES, FRAMES);
  arena.words(FRAMES * FRAME_BYTES).fill(0xa5a5_a5a5);
  let next = FRAMES * FRAME_BYTES;
  return { arena, newBlock: () => (next -= BLOCK_BYTES) };
}

const CHARACTERS = Array.from({ length: 127 }, (_, i) => String.fromCharCode(i + 1));
const id = fc
  .tuple(
    fc.integer({ min: 1, max: ID_BYTES_MAX + 3 }),
    fc.constantFrom(...CHARACTERS),
    fc.nat({ max: 9_999 }),
  )
  .map(([length, character, number]) => `${number}`.padEnd(length, character).slice(0, length));

it('reads each id back from its offset, and stores no id that is too long', () => {
  fc.assert(
    fc.property(fc.array(id, { maxLength: 600, size: 'max' }), fc.nat({ max: 600 }), (ids, handedOver) => {
      const { arena, newBlock } = openArena();
      let list = new IdList(arena);
      const places = ids.map((each, i) => {
        if (i === handedOver) {
          const next = new IdList(arena);
          for (const address of list.blocks.addresses) next.blocks.push(address);
          next.continueAt(list.end);
          list = next;
        }
        return list.append(each, newBlock);
      });
      const read = readIds(arena, list.blocks.addresses, places);
      assert.deepEqual(
        read,
        ids.map((each) => (each.length > ID_BYTES_MAX ? null : each)),
      );
      assert.ok(places.every((place, i) => (place === NO_ID) === (ids[i]?.length ?? 0) > ID_BYTES_MAX));
    }),
    { seed: 44, numRuns: 60 },
  );
});

it('stores ids in their length plus a byte, and wastes little at the ends of blocks', () => {
  const { arena, newBlock } = openArena();
  const list = new IdList(arena);
  const longest = 'x'.repeat(ID_BYTES_MAX);
  const count = 2_000;
  for (let i = 0; i < count; i++) list.append(longest, newBlock);
  const bytes = list.blocks.addresses.length * BLOCK_BYTES;
  assert.ok(bytes / count < ID_BYTES_MAX + 1 + 1.5, `${bytes / count} bytes each`);
});

it('stays unchanged by an id for which no block can be allocated', () => {
  const { arena, newBlock } = openArena();
  const list = new IdList(arena);
  const full = () => {
    throw new Error('full');
  };
  assert.throws(() => list.append('one', full), /full/);
  assert.equal(list.append('y'.repeat(ID_BYTES_MAX + 1), full), NO_ID);
  assert.deepEqual(readIds(arena, list.blocks.addresses, [list.append('two', newBlock)]), ['two']);
  assert.deepEqual(readIds(arena, [], [0]), [null]);
});
