// Requests of pages: each page of the ranges once, at its address in the process.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Advice, type MemoryRange, type SystemCalls } from '../../../platform/native/system-calls.ts';
import { Arena } from './arena.ts';
import { requestPages } from './page-requests.ts';

const START = 2n ** 40n;

it('requests every page that a range lies in once, and none besides', () => {
  const requested: MemoryRange[] = [];
  const calls: SystemCalls = {
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
    { address: 8_192, bytes: 4_096 },
    { address: 100, bytes: 20 },
  ];
  requestPages(Arena.create(4), ranges, calls);
  assert.deepEqual(
    requested.map(({ address, bytes }) => [Number(address - START), bytes]),
    [
      [0, 4_096],
      [4_096, 4_096],
      [8_192, 4_096],
    ],
  );
});

it('does nothing without system calls', () => {
  requestPages(Arena.create(4), [{ address: 0, bytes: 1 }], null);
});
