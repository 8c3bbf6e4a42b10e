// Guarantees of paced reading: the same bytes as without it, in bounded ranges, with every byte counted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlobMissing, type BlobRange, type Blobs } from '../../blobs/port.ts';
import { pacedBlobs, RANGE_BYTES } from './paced-blobs.ts';

for (const bytes of [0, 1, RANGE_BYTES - 1, RANGE_BYTES, 2 * RANGE_BYTES + 3])
  test(`passes all ${bytes} bytes on, in ranges of at most ${RANGE_BYTES}, and counts each`, async () => {
    const content = Buffer.alloc(bytes, 'pinyon');
    const ranges: (BlobRange | undefined)[] = [];
    const get: Blobs['get'] = async function* (_key, range) {
      ranges.push(range);
      const { first = 0, last = bytes } = range ?? {};
      if (first < bytes) yield Uint8Array.from(content.subarray(first, last + 1));
    };
    let counted = 0;
    const paced = pacedBlobs({ get }, async (read) => {
      counted += read;
    });
    const passed = Buffer.concat(await Array.fromAsync(paced.get('key')));
    assert.ok(passed.equals(content));
    assert.equal(counted, bytes);
    for (const range of ranges) assert.equal((range?.last ?? 0) - (range?.first ?? 0) + 1, RANGE_BYTES);
  });

test('passes a missing blob on as such', async () => {
  const get: Blobs['get'] = async function* (key) {
    yield* [];
    throw new BlobMissing(key);
  };
  await assert.rejects(Array.fromAsync(pacedBlobs({ get }, async () => undefined).get('key')), BlobMissing);
});
