// Requests of pages: each page of the ranges once, at its address in the process.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Advice, type MemoryRange, type SystemCalls } from '../../../platform/native/system-calls.ts';
import { Arena } from './arena.ts';
import { requestPages } from './page-requests.ts';

const START = 2n ** 40n;

for (const [pageBytes, expected] of [
  [4_096, [0, 4_096, 8_192]],
  [16_384, [0, 16_384]],
] as const)
  it(`requests every page of ${pageBytes} bytes that a range lies in once, and none besides`, () => {
    const requested: MemoryRange[] = [];
    const calls: SystemCalls = {
      pageBytes,
      addressOf: () => START,
      advise: (range, advice) => {
        assert.equal(advice, Advice.WillNeed);
        requested.push(range);
        return true;
      },
      mapFile: () => null,
      mapOver: () => false,
      mapCopyOver: () => false,
      renew: () => false,
    };
    const ranges = [
      { address: 4_000, bytes: 200 },
      { address: 8_192, bytes: pageBytes },
      { address: 100, bytes: 20 },
    ];
    requestPages(Arena.create(4), ranges, calls);
    assert.deepEqual(
      requested,
      expected.map((address) => ({ address: START + BigInt(address), bytes: pageBytes })),
    );
  });

it('does nothing without system calls', () => {
  requestPages(Arena.create(4), [{ address: 0, bytes: 1 }], null);
});
