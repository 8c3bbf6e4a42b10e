// The conformance suite of the blob port, which every implementation runs in its test file.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { BlobExists, BlobKeyInvalid, BlobMissing, type BlobRange, type Blobs } from '../port.ts';

export interface BlobsUnderTest {
  readonly blobs: Blobs;
  /** Size above which content is sent in several requests, if the storage distinguishes. */
  readonly bigBytes: number;
  /** Closes the blobs and removes the storage. */
  dispose(): Promise<void>;
}

/** Content in pieces. */
export async function* piecesOf(bytes: Uint8Array, pieceBytes = 1_000_003): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

export async function contentOf(blobs: Blobs, key: string, range?: BlobRange): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(blobs.get(key, range)));
}

export function describeBlobs(name: string, make: () => Promise<BlobsUnderTest>): void {
  describe(`blob port: ${name}`, () => {
    let subject: BlobsUnderTest;
    let blobs: Blobs;

    before(async () => {
      subject = await make();
      blobs = subject.blobs;
    });

    after(() => subject.dispose());

    async function keysOf(prefix: string, limit?: number): Promise<readonly string[]> {
      const keys: string[] = [];
      for (let cursor: string | null = null, more = true; more; more = cursor !== null) {
        const page = await blobs.list(prefix, cursor, limit);
        keys.push(...page.items.map(({ key }) => key));
        assert.ok(limit === undefined || page.items.length <= limit);
        cursor = page.next;
      }
      return keys;
    }

    test('reads content of any size back byte for byte, with its size', async () => {
      const { bigBytes } = subject;
      for (const size of [0, 1, 65_536, bigBytes - 1, bigBytes, bigBytes + 1, 2 * bigBytes + 17]) {
        const content = randomBytes(size);
        assert.deepEqual(await blobs.put('sizes/one', piecesOf(content)), { bytes: size });
        assert.ok(content.equals(await contentOf(blobs, 'sizes/one')), `${size} bytes differ`);
        const details = await blobs.head('sizes/one');
        assert.equal(details?.bytes, size);
        assert.ok(Math.abs(Date.parse(details?.modifiedAt ?? '') - Date.now()) < 60_000);
      }
    });

    test('reads the bytes of a range, and nothing beyond the end', async () => {
      const content = Buffer.from('0123456789');
      await blobs.put('range', piecesOf(content));
      const read = async (range: BlobRange) => (await contentOf(blobs, 'range', range)).toString();
      assert.equal(await read({ first: 0, last: 0 }), '0');
      assert.equal(await read({ first: 3, last: 5 }), '345');
      assert.equal(await read({ first: 7 }), '789');
      assert.equal(await read({ first: 8, last: 100 }), '89');
      assert.equal(await read({ first: 10 }), '');
      assert.equal(await read({ first: 50, last: 60 }), '');
    });

    test('replaces a blob whole, and refuses with ifAbsent', async () => {
      await blobs.put('once', piecesOf(Buffer.from('first')));
      await assert.rejects(
        blobs.put('once', piecesOf(Buffer.from('second')), { ifAbsent: true }),
        BlobExists,
      );
      assert.equal((await contentOf(blobs, 'once')).toString(), 'first');
      await blobs.put('once', piecesOf(Buffer.from('2')));
      assert.equal((await contentOf(blobs, 'once')).toString(), '2');
      await blobs.delete('once');
      await blobs.put('once', piecesOf(Buffer.from('third')), { ifAbsent: true });
      assert.equal((await contentOf(blobs, 'once')).toString(), 'third');
    });

    test('lets one of many concurrent puts with ifAbsent win', async () => {
      const attempts = Array.from({ length: 8 }, (_, at) =>
        blobs.put('race', piecesOf(Buffer.from(`writer ${at}`)), { ifAbsent: true }),
      );
      const outcomes = await Promise.allSettled(attempts);
      const winner = outcomes.findIndex(({ status }) => status === 'fulfilled');
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
      assert.equal((await contentOf(blobs, 'race')).toString(), `writer ${winner}`);
    });

    test('reports a missing blob, and deletes it without error', async () => {
      assert.equal(await blobs.head('nothing/here'), null);
      await assert.rejects(contentOf(blobs, 'nothing/here'), BlobMissing);
      await blobs.delete('nothing/here');
      await blobs.put('something', piecesOf(Buffer.from('x')));
      await blobs.delete('something');
      await assert.rejects(contentOf(blobs, 'something'), BlobMissing);
      assert.equal(await blobs.head('something'), null);
    });

    test('leaves nothing and keeps the old blob when the content fails', async () => {
      await blobs.put('broken', piecesOf(Buffer.from('whole')));
      for (const size of [10, subject.bigBytes * 2]) {
        async function* failing(): AsyncGenerator<Uint8Array> {
          yield* piecesOf(randomBytes(size));
          throw new Error('the source broke');
        }
        await assert.rejects(blobs.put('broken', failing()), /the source broke/);
        await assert.rejects(blobs.put('broken-new', failing()), /the source broke/);
      }
      assert.equal((await contentOf(blobs, 'broken')).toString(), 'whole');
      assert.deepEqual(await keysOf('broken'), ['broken']);
    });

    test('rejects an aborted put with the reason of its signal and leaves nothing', async () => {
      const abort = new AbortController();
      async function* endless(): AsyncGenerator<Uint8Array> {
        for (let count = 0; ; count += 1) {
          if (count === 3) abort.abort(new Error('enough'));
          yield randomBytes(subject.bigBytes / 2);
        }
      }
      await assert.rejects(blobs.put('aborted', endless(), { signal: abort.signal }), /enough/);
      assert.equal(await blobs.head('aborted'), null);
    });

    test('lists the keys of a prefix in bytewise order, page by page', async () => {
      const keys = ['l/B', 'l/a-b', 'l/a.txt', 'l/a/1', 'l/a/2/x', 'l/a0', 'l/b'];
      for (const key of [...keys, 'l2', 'm/a']) await blobs.put(key, piecesOf(Buffer.from(key)));
      for (const limit of [1, 2, 3, 100]) assert.deepEqual(await keysOf('l/', limit), keys);
      assert.deepEqual(await keysOf('l/a', 2), ['l/a-b', 'l/a.txt', 'l/a/1', 'l/a/2/x', 'l/a0']);
      assert.deepEqual(await keysOf('l/a/'), ['l/a/1', 'l/a/2/x']);
      assert.deepEqual(await keysOf('l/c'), []);
      const { items } = await blobs.list('l/a/1', null);
      assert.equal(items[0]?.bytes, 5);
    });

    test('refuses keys that lead elsewhere or differ in meaning between storages', async () => {
      const bad = [
        '',
        '/',
        '/etc',
        'a/',
        'a//b',
        '..',
        '../x',
        'a/../b',
        './a',
        '.hidden',
        'a/.b',
        'a b',
        'a\\b',
      ];
      for (const key of [...bad, 'a\0', 'é', 'x'.repeat(513), `a/${'y'.repeat(201)}`]) {
        await assert.rejects(blobs.put(key, piecesOf(Buffer.from('x'))), BlobKeyInvalid, key);
        await assert.rejects(contentOf(blobs, key), BlobKeyInvalid, key);
        await assert.rejects(blobs.head(key), BlobKeyInvalid, key);
        await assert.rejects(blobs.delete(key), BlobKeyInvalid, key);
      }
      await assert.rejects(blobs.list('../', null), BlobKeyInvalid);
    });
  });
}
