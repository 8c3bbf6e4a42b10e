// Guarantees of the files of an export on storage that refuses them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Blobs, BlobsUnavailable } from '../../../blobs/port.ts';
import { untouched } from '../../../platform/testing/untouched.ts';
import { ExportFiles } from './export-files.ts';

test('takes no more bytes of a file once storage has refused it, however early', async () => {
  for (const piecesRead of [0, 2]) {
    const refused = new BlobsUnavailable('The disk is full.');
    const put: Blobs['put'] = async (_, content) => {
      let pieces = 0;
      if (piecesRead === 0) throw refused;
      for await (const _piece of content) if (++pieces === piecesRead) throw refused;
      return { bytes: 0 };
    };
    const files = new ExportFiles({ ...untouched<Blobs>(), put }, '', new AbortController().signal);
    await files.take([{ type: 'open', path: 'a' }]);
    let taken = 0;
    await assert.rejects(
      async () => {
        for (; taken < 100; taken++) await files.take([{ type: 'bytes', bytes: Uint8Array.of(1) }]);
      },
      (error) => error === refused,
    );
    // One may wait while the storage still reads the one before.
    assert.ok(taken <= piecesRead + 1, `${taken} pieces`);
    await files.abandon(refused);
  }
});
