// Chunks that are read ahead come in order, a few at a time, and nothing is read any more when the file is closed.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { crc32 } from 'node:zlib';
import { ChunksAhead } from './chunks-ahead.ts';
import type { SnapshotFile } from './snapshot-file.ts';

const COUNT = 11;
const BYTES = 64;

const contentOf = (at: number) => Buffer.alloc(BYTES, at + 1);

/** Chunks of a file whose reads end when they are let go; the one `failing` fails. */
function setUp(failing = -1) {
  const waiting: (() => void)[] = [];
  let begun = 0;
  const file = {
    readAside: (into: Uint8Array, position: number) => {
      begun++;
      const at = position / BYTES;
      return new Promise<number>((resolve, reject) =>
        waiting.push(() => {
          if (at === failing) return reject(new Error('EIO'));
          into.set(contentOf(at));
          resolve(into.length);
        }),
      );
    },
  } as unknown as SnapshotFile;
  const chunks = Array.from({ length: COUNT }, (_, number) => ({
    ...{ number, part: 0, position: number * BYTES, from: number * BYTES, bytes: BYTES },
    ...{ storedBytes: BYTES, at: number * BYTES, sum: crc32(contentOf(number)) },
  }));
  const ahead = new ChunksAhead(file, chunks, BYTES);
  /** Later ones first. */
  const letGo = () => {
    for (const end of waiting.splice(0).reverse()) end();
  };
  return { ahead, letGo, begun: () => begun };
}

it('come in order whatever the disk does first, at most four more than were taken', async () => {
  const { ahead, letGo, begun } = setUp();
  for (let at = 0; at < COUNT; at++) {
    const bytes = ahead.bytesOf(at);
    assert.ok(begun() <= at + 4, `${begun()} begun for chunk ${at}`);
    letGo();
    assert.deepEqual(await bytes, contentOf(at));
  }
  assert.equal(begun(), COUNT);
});

it('fail in their turn, and are waited for at the end', async () => {
  const { ahead, letGo } = setUp(2);
  for (const at of [0, 1]) {
    const bytes = ahead.bytesOf(at);
    letGo();
    assert.deepEqual(await bytes, contentOf(at));
  }
  const failed = assert.rejects(ahead.bytesOf(2), /EIO/);
  let isOver = false;
  const end = ahead.end().then(() => {
    isOver = true;
  });
  await new Promise(setImmediate);
  assert.equal(isOver, false);
  letGo();
  await Promise.all([failed, end]);
});
