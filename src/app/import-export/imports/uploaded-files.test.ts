// Uploaded files: what is kept of them, where readers find them, and what a start removes.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { openFolderBlobs } from '../../../blobs/folder/open-folder-blobs.ts';
import { type Blobs, BlobsUnavailable } from '../../../blobs/port.ts';
import type { Job } from '../../../domain/jobs.ts';
import { tempFolder } from '../../../engine/embedded/testing/temp-folder.ts';
import { runningJob } from '../../../jobs/testing/running-job.ts';
import { until } from '../../../platform/testing/until.ts';
import { sweepHourly } from '../sweep-hourly.ts';
import { UploadedFiles, type UploadParts } from './uploaded-files.ts';

const S3 = { endpoint: null, region: 'r', credentials: null, mayBePrivate: false };
const HOUR_MS = 3_600_000;

async function* pieces(...texts: readonly (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) {
    if (text instanceof Error) throw text;
    yield Buffer.from(text, 'latin1');
  }
}

function jobOf(id: string): Job {
  const input = { uri: 'upload:n', upload: true, onError: 'continue' };
  const names = { id, kind: 'import', projectId: 'p', indexId: 'i' };
  return runningJob({ ...names, input, state: 'Pending', attempts: 0 });
}

async function fixture(
  test: TestContext,
  options: Partial<Pick<UploadParts, 'isShared' | 'location' | 'active'>> = {},
) {
  const path = tempFolder(test);
  const blobs: Blobs = await openFolderBlobs(path);
  const active: Job[] = [];
  const files = new UploadedFiles({
    blobs,
    s3: S3,
    location: options.location ?? { kind: 'file', path: `${path}/uploads` },
    isShared: options.isShared ?? false,
    active: options.active ?? (async () => active),
  });
  const keys = async () => (await blobs.list('', null)).items.map(({ key }) => key);
  const receive = (id: string, content: AsyncIterable<Uint8Array>, accept = async () => {}) =>
    files.receive({ id, indexId: 'i', namespace: '', content }, accept);
  return { blobs, active, files, keys, receive, path };
}

describe('an uploaded file', () => {
  it('has the ending that its first bytes tell, however they are cut', async (test) => {
    const { keys, receive } = await fixture(test);
    await receive('a', pieces('P', 'A', 'R1...'));
    await receive('b', pieces('\x1f', '\x8b', '\x08', ''));
    await receive('c', pieces('{', '}'));
    assert.deepEqual(await keys(), [
      'uploads/a/manifest.json',
      'uploads/a/upload/data.parquet',
      'uploads/b/manifest.json',
      'uploads/b/upload/data.jsonl.gz',
      'uploads/c/manifest.json',
      'uploads/c/upload/data.jsonl',
    ]);
  });

  it('leaves nothing when it is empty, breaks off, or its import is not accepted', async (test) => {
    const { keys, receive } = await fixture(test);
    await assert.rejects(receive('a', pieces()), /body is empty/);
    await assert.rejects(receive('b', pieces('{"id":', new Error('cut off'))), /cut off/);
    const refuse = async () => {
      throw new Error('refused');
    };
    await assert.rejects(receive('c', pieces('{}'), refuse), /refused/);
    assert.deepEqual(await keys(), []);
  });

  it('is not read on when it cannot be stored, so that the rest of its request can be discarded', async (test) => {
    const { blobs, receive } = await fixture(test);
    const put = test.mock.method(blobs, 'put');
    const first = async (content: AsyncIterable<Uint8Array>) => {
      for await (const piece of content) return piece;
      return null;
    };
    for (const read of [async () => null, first]) {
      put.mock.mockImplementation(async (_, content) => {
        await read(content);
        throw new Error('the disk is full');
      });
      let isClosed = false;
      async function* content() {
        try {
          yield* pieces('{}\n', '{}\n', '{}\n');
          assert.fail('read to its end');
        } finally {
          isClosed = true;
        }
      }
      await assert.rejects(receive('a', content()), /the disk is full/);
      assert.equal(isClosed, true);
    }
  });

  it('is refused as unavailable where the storage takes no more, and leaves nothing', async (test) => {
    const { blobs, keys, receive } = await fixture(test);
    const full = new BlobsUnavailable('The folder of blobs cannot be used: the disk is full');
    const put = blobs.put.bind(blobs);
    for (const refused of ['data.jsonl', 'manifest.json']) {
      test.mock.method(blobs, 'put', async (...given: Parameters<Blobs['put']>) => {
        if (given[0].endsWith(refused)) throw full;
        return put(...given);
      });
      await assert.rejects(receive('a', pieces('{}')), { condition: 'storage-full', status: 503 });
      assert.deepEqual(await keys(), []);
    }
  });

  it('is one of few of its index', async (test) => {
    const { active, receive, keys } = await fixture(test);
    active.push(...Array.from({ length: 16 }, (_, at) => jobOf(`j${at}`)));
    await assert.rejects(receive('a', pieces('{}')), { condition: 'overloaded' });
    assert.deepEqual(await keys(), []);
    active.pop();
    await receive('a', pieces('{}'));
  });

  it('is refused only for those that began before it, however many begin together', async (test) => {
    const read = Promise.withResolvers<readonly Job[]>();
    const accepting = Promise.withResolvers<void>();
    const all = await fixture(test, { active: () => read.promise });
    const begun = Array.from({ length: 17 }, (_, at) =>
      all.receive(`u${at}`, pieces('{}'), () => accepting.promise),
    );
    read.resolve([]);
    await assert.rejects(Promise.race(begun), { condition: 'overloaded' });
    accepting.resolve();
    const ended = await Promise.allSettled(begun);
    assert.deepEqual(
      ended.map(({ status }) => status),
      [...Array(16).fill('fulfilled'), 'rejected'],
    );
  });

  it('counts once while it becomes an import', async (test) => {
    const { active, receive } = await fixture(test);
    active.push(...Array.from({ length: 14 }, (_, at) => jobOf(`j${at}`)));
    await receive('a', pieces('{}'), async () => {
      active.push(jobOf('a'));
      await receive('b', pieces('{}'));
    });
  });

  it('is found by readers in a folder or a bucket, and nowhere else', async (test) => {
    const { files, path } = await fixture(test);
    assert.deepEqual(files.source('a').uri, `file://${path}/uploads/a`);
    const s3 = await fixture(test, { location: { kind: 's3', bucket: 'own', prefix: 'x/uploads' } });
    const { uri, rules } = s3.files.source('a');
    assert.deepEqual(
      [uri, rules.s3.mayBePrivate, rules.publicStorage],
      ['s3://own/x/uploads/a', true, undefined],
    );
  });

  it('is removed at a start unless its import has not ended', async (test) => {
    const { active, files, keys, receive } = await fixture(test);
    for (const id of ['ended', 'running']) await receive(id, pieces('{}'));
    active.push(jobOf('running'));
    await files.sweep();
    assert.deepEqual(await keys(), ['uploads/running/manifest.json', 'uploads/running/upload/data.jsonl']);
  });

  it('is removed by a server that runs on, once it is old', async (test) => {
    const { files, keys, receive } = await fixture(test, { isShared: true });
    await receive('theirs', pieces('{}'));
    test.mock.timers.enable({ apis: ['Date', 'setInterval'], now: Date.now() });
    const end = sweepHourly([() => files.sweep()], (error) => assert.fail(String(error)));
    for (let hour = 0; hour < 26; hour++) test.mock.timers.tick(HOUR_MS);
    await until(async () => (await keys()).length === 0, 'the removal');
    // The folder goes first at the end of the test.
    await end();
  });

  it('survives the start of another server for a day, and a sweep while it arrives', async (test) => {
    const shared = await fixture(test, { isShared: true });
    await shared.receive('theirs', pieces('{}'));
    await shared.files.sweep();
    await shared.files.sweep(Date.now() + 2 * HOUR_MS);
    assert.equal((await shared.keys()).length, 2);
    await shared.files.sweep(Date.now() + 25 * HOUR_MS);
    assert.deepEqual(await shared.keys(), []);
    const own = await fixture(test);
    await own.receive('a', pieces('{}'), () => own.files.sweep());
    assert.equal((await own.keys()).length, 2);
  });
});
