// Tests that large memories move to large pages step by step, and small ones do not.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../testing/until.ts';
import { LARGE_PAGE_BYTES, LARGE_PAGES_FROM_BYTES, LargePages } from './large-pages.ts';
import { Advice, type SystemCalls, systemCalls } from './system-calls.ts';

const FRAME_BYTES = 65_536;
/** Whole large pages in the smallest memory that has any: its ends share theirs with others. */
const PAGES = LARGE_PAGES_FROM_BYTES / LARGE_PAGE_BYTES - 1;
/** Not aligned to a large page. */
const ADDRESS = 2n ** 40n + 4_096n;

function memoryOf(bytes: number): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial: bytes / FRAME_BYTES, maximum: 65_536, shared: true });
}

/** Fake system calls that record the offset of each requested page in the memory. */
function standIn(): SystemCalls & { readonly requested: number[] } {
  const requested: number[] = [];
  return {
    requested,
    pageBytes: 4_096,
    addressOf: () => ADDRESS,
    advise: ({ address, bytes }, advice) => {
      assert.equal(bytes, LARGE_PAGE_BYTES);
      if (advice === Advice.LargePagesNow) requested.push(Number(address - ADDRESS));
      return true;
    },
    mapFile: () => null,
    mapOver: () => false,
    mapCopyOver: () => false,
    renew: () => false,
  };
}

it('requests each whole page of a memory once, in order, those that it grows by too', async () => {
  const calls = standIn();
  const pages = new LargePages(calls);
  const memory = memoryOf(LARGE_PAGES_FROM_BYTES);
  pages.follow([memory]);
  await until(() => calls.requested.length >= PAGES, 'large pages');
  memory.grow(33);
  pages.follow([memory]);
  await until(() => calls.requested.length > PAGES, 'a large page');
  pages.follow([memory]);
  await pause(5);
  const first = LARGE_PAGE_BYTES - 4_096;
  assert.deepEqual(
    calls.requested,
    Array.from({ length: PAGES + 1 }, (_, i) => first + i * LARGE_PAGE_BYTES),
  );
});

it('leaves pages alone that files back, some or all of them', async () => {
  const calls = standIn();
  const pages = new LargePages(calls);
  const first = LARGE_PAGE_BYTES - 4_096;
  pages.follow([memoryOf(LARGE_PAGES_FROM_BYTES)], (_, at) => at !== first + LARGE_PAGE_BYTES);
  await until(() => calls.requested.length > 0, 'a large page');
  await pause(5);
  assert.deepEqual(calls.requested, [first + LARGE_PAGE_BYTES]);
});

it('ignores small memories, and those that their index has left', async () => {
  const calls = standIn();
  const pages = new LargePages(calls);
  const memories = [memoryOf(LARGE_PAGES_FROM_BYTES - FRAME_BYTES), memoryOf(LARGE_PAGES_FROM_BYTES)];
  pages.follow(memories);
  assert.equal(calls.requested.length, 1);
  pages.follow(memories.slice(0, 1));
  await pause(5);
  assert.equal(calls.requested.length, 1);
});

it('keeps the content of a memory, with and without the calls of this system', async () => {
  for (const calls of [systemCalls(), null]) {
    const pages = new LargePages(calls);
    const memory = memoryOf(LARGE_PAGES_FROM_BYTES);
    const words = new Uint32Array(memory.buffer);
    for (let i = 0; i < words.length; i += 1_000) words[i] = i;
    pages.follow([memory]);
    await pause(20);
    pages.follow([]);
    for (let i = 0; i < words.length; i += 1_000) assert.ok(words[i] === i);
  }
});
