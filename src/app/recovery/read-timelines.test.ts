// Guarantees of reading what there is to recover: no damaged file hides the others, each header is read once on the way,
// and a log of any length takes little memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlobMissing, type Blobs } from '../../blobs/port.ts';
import { orderedIdAt } from '../../domain/ids.ts';
import {
  encodeObject,
  logKey,
  RECOVERY_FORMAT,
  sealed,
  TIMELINES_PREFIX,
  timelineKey,
} from './log-format.ts';
import { HEADERS_KEPT, Headers, headersFrom, listTimelines } from './read-timelines.ts';

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

test('lists timelines whose files are damaged or just removed, with their ids, beside those that are whole', async () => {
  const [first, second, third] = [1, 2, 3].map((ms) => ({ installation: 'abc', id: orderedIdAt(ms) }));
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  const files = new Map<string, Buffer | null>([
    [timelineKey(first), Buffer.from('damaged')],
    [timelineKey(second), sealed({ ...second, at: 20 })],
    [timelineKey(third), null],
    [`${TIMELINES_PREFIX}readme.txt`, Buffer.from('of somebody else')],
  ]);
  const blobs = {
    list: async () => ({ items: [...files.keys()].map((key) => ({ key })), next: null }),
    async *get(key: string) {
      const content = files.get(key);
      if (content === null || content === undefined) throw new BlobMissing(key);
      yield content;
    },
  } as unknown as Blobs;
  assert.deepEqual(await listTimelines(blobs), [
    { ...first, at: 1, damage: `${timelineKey(first)} does not have its digest` },
    { ...second, at: 20, damage: null },
    { ...third, at: 3, damage: `There is no blob ${timelineKey(third)}.` },
  ]);
});
