// Guarantees of reading the headers of a log: each is read once on the way, and a log of any length takes little memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeObject, logKey, RECOVERY_FORMAT } from './log-format.ts';
import { HEADERS_KEPT, Headers, headersFrom } from './read-timelines.ts';

const TIMELINE = 't';
const OBJECTS = 10 * HEADERS_KEPT;

test('reads each header of a long log once, and keeps only the last ones', async () => {
  const reads = new Map<string, number>();
  const blobs = {
    async *get(key: string) {
      reads.set(key, (reads.get(key) ?? 0) + 1);
      const number = Number(key.split('/').at(-1));
      const place = { number, first: 1, at: number, isComplete: true };
      yield encodeObject({ format: RECOVERY_FORMAT, id: key, ...place, sections: [] }, []);
    },
  };
  const headers = new Headers(blobs, TIMELINE);
  const numbers: number[] = [];
  for await (const { number } of headersFrom(headers, 1, OBJECTS)) numbers.push(number);
  assert.deepEqual(
    numbers,
    Array.from({ length: OBJECTS }, (_, i) => i + 1),
  );
  assert.deepEqual([reads.size, Math.max(...reads.values())], [OBJECTS, 1]);
  for (let number = OBJECTS; number > OBJECTS - HEADERS_KEPT; number--) await headers.get(number);
  assert.equal(Math.max(...reads.values()), 1);
  await headers.get(1);
  assert.equal(reads.get(logKey(TIMELINE, 1)), 2);
});
