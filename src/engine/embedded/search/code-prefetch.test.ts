// Codes are requested from disk together while searches wait for it, and no longer.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Arena } from '../memory/arena.ts';
import type { Range } from '../memory/page-requests.ts';
import { CodePrefetch } from './code-prefetch.ts';

const ENTRIES = 4_096;
const ROWS = 430;

/** Searches of a disk, by a clock that only they advance. */
function setUp() {
  let now = 0;
  const requests: Range[][] = [];
  const prefetch = new CodePrefetch(
    () => now,
    (_, ranges) => {
      requests.push([...ranges]);
      now += 1;
    },
  );
  const workspace = { arena: Arena.create() };
  const slots = workspace.arena.words(ENTRIES + 8 * ROWS);
  for (let at = 0; at < ROWS; at++) slots[ENTRIES / 4 + 2 * at + 1] = at;
  const view = { codesOf: (slot: number) => [{ address: 1_000 * slot, bytes: 400 }] };
  /** @returns the ranges that were requested; none without a request */
  const search = (compareMs: number, count = ROWS): readonly Range[] => {
    const before = requests.length;
    prefetch.run({ workspace, view }, { entries: ENTRIES, count }, () => {
      now += compareMs;
    });
    return requests.slice(before).flat();
  };
  return search;
}

it('requests the codes of all rows after a search that waited for the disk', () => {
  const search = setUp();
  assert.deepEqual(search(40), []);
  const ranges = search(0.1);
  assert.equal(ranges.length, ROWS);
  assert.deepEqual(ranges[3], { address: 3_000, bytes: 400 });
});

it('ends requesting once all is in memory, however long the requests take', () => {
  const search = setUp();
  search(40);
  assert.equal(search(0.1).length, ROWS);
  assert.deepEqual(search(0.1), []);
});

it('tells by each row that a search of few rows waited for the disk', () => {
  const search = setUp();
  search(0.3, 10);
  assert.equal(search(0.01, 10).length, 10);
  assert.deepEqual(search(0.01, 10), []);
});
