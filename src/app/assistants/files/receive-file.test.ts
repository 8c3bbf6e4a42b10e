// Receiving an upload: bytes are counted and hashed, and a refused upload leaves nothing.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openFolderBlobs } from '../../../blobs/folder/open-folder-blobs.ts';
import { UNFINISHED_FOLDER } from '../../../blobs/folder/unfinished.ts';
import type { Blobs } from '../../../blobs/port.ts';
import { bytesOf } from '../testing/assistant-fixture.ts';
import { receiveFile } from './receive-file.ts';

describe('receiving a file', () => {
  let folder: string;
  let blobs: Blobs;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinyon-receive-'));
    blobs = await openFolderBlobs(folder);
  });
  after(() => rm(folder, { recursive: true }));

  it('stores a file with its size and digest', async () => {
    const received = await receiveFile(blobs, 'assistants/a/r', {
      content: bytesOf('some text'),
      bytesMax: 9,
    });
    assert.deepEqual(received, { size: 9, sha256: createHash('sha256').update('some text').digest('hex') });
  });

  it('leaves nothing of a file that is too large or empty, or whose client leaves', async () => {
    const leaving = new AbortController();
    async function* left(): AsyncGenerator<Uint8Array> {
      yield* bytesOf('some');
      leaving.abort(new Error('the client left'));
      yield* bytesOf('more');
    }
    const { signal } = leaving;
    const receive = (content: AsyncIterable<Uint8Array>) =>
      receiveFile(blobs, 'assistants/a/x', { content, bytesMax: 9, signal });
    await assert.rejects(receive(bytesOf('some text.')), { condition: 'invalid-argument' });
    await assert.rejects(receive(bytesOf('')), { condition: 'invalid-argument' });
    await assert.rejects(receive(left()), /client left/);
    assert.equal(await blobs.head('assistants/a/x'), null);
    assert.deepEqual(await readdir(join(folder, UNFINISHED_FOLDER)), []);
  });

  it('reports storage-full when storage cannot be written', async () => {
    await rm(join(folder, UNFINISHED_FOLDER), { recursive: true });
    await symlink('/dev/null', join(folder, UNFINISHED_FOLDER));
    const receiving = receiveFile(blobs, 'assistants/a/y', { content: bytesOf('some text'), bytesMax: 9 });
    await assert.rejects(receiving, {
      condition: 'storage-full',
      message: /Nothing of this request was stored/,
    });
    assert.equal(await blobs.head('assistants/a/y'), null);
  });
});
