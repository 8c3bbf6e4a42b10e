// S3-compatible storage: the conformance suite over a server in this process, and failures between the two.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { HANG_MS, inTime } from '../../platform/testing/until.ts';
import { contentOf, describeBlobs, piecesOf } from '../conformance/conformance-suite.ts';
import { BlobExists, type Blobs, BlobsUnavailable } from '../port.ts';
import { openS3Blobs } from './open-s3-blobs.ts';
import { FakeS3, type S3Fault } from './testing/fake-s3.ts';

const PART_BYTES = 64 * 1024;
/** Short enough for tests. */
const IDLE_MS = 300;
const CREDENTIALS = { accessKeyId: 'AK', secretAccessKey: 'a-secret-that-no-message-shows' };

/** @param idleMs how long a server may be silent */
function open(fake: FakeS3, idleMs = HANG_MS): Promise<Blobs> {
  return openS3Blobs({
    bucket: 'bucket',
    prefix: 'some/where',
    endpoint: fake.endpoint,
    region: 'us-east-1',
    credentials: CREDENTIALS,
    limits: { connectMs: HANG_MS, idleMs, attemptsMax: 3, partBytes: PART_BYTES },
  });
}

describeBlobs('S3, fake', async () => {
  const fake = await FakeS3.start();
  const blobs = await open(fake);
  const dispose = async () => {
    await blobs.close();
    await fake.close();
  };
  return { blobs, bigBytes: PART_BYTES, dispose };
});

describe('S3 that fails', () => {
  let fake: FakeS3;
  let blobs: Blobs;

  beforeEach(async () => {
    fake = await FakeS3.start();
    blobs = await open(fake);
  });

  afterEach(async () => {
    await blobs.close();
    await fake.close();
  });

  /** Injects the fault into the first requests of a method. */
  function failing(method: string, fault: S3Fault, times: number): void {
    let left = times;
    fake.fault = (request) => {
      if (request.method !== method || left === 0) return null;
      left -= 1;
      return fault;
    };
  }

  test('survives passing errors and lost responses', async () => {
    const content = randomBytes(3 * PART_BYTES + 5);
    const passing: readonly S3Fault[] = [{ status: 500 }, { status: 503, code: 'SlowDown' }, 'answer-lost'];
    for (const fault of passing) {
      failing('PUT', fault, 1);
      await blobs.put('big', piecesOf(content));
      failing('GET', fault, 1);
      assert.ok(content.equals(await contentOf(blobs, 'big')));
    }
    assert.equal(fake.uploads.size, 0);
  });

  for (const ifAbsent of [false, true])
    test(`parts put together by a request whose answer is lost count${ifAbsent ? ', and are not taken for somebody else' : ''}`, async () => {
      const content = randomBytes(3 * PART_BYTES);
      // The second POST: the first begins the upload.
      let posts = 0;
      fake.fault = ({ method }) => (method === 'POST' && ++posts === 2 ? 'answer-lost' : null);
      await blobs.put('big', piecesOf(content), { ifAbsent });
      assert.equal(posts, 3);
      assert.ok(content.equals(await contentOf(blobs, 'big')));
    });

  test('reports a refusal by status and name, without secrets, and leaves nothing', async () => {
    fake.fault = ({ method }) => (method === 'DELETE' ? null : { status: 403, code: 'AccessDenied' });
    for (const work of [
      () => blobs.put('a', piecesOf(randomBytes(10))),
      () => blobs.put('a', piecesOf(randomBytes(2 * PART_BYTES))),
      () => contentOf(blobs, 'a'),
      () => blobs.head('a'),
      () => blobs.list('', null),
    ]) {
      await assert.rejects(work, (error) => {
        assert.ok(error instanceof BlobsUnavailable, String(error));
        assert.match(error.message, /^The object storage could not [a-z ]+: 403 /);
        assert.doesNotMatch(error.message, /secret|AK/);
        return true;
      });
    }
    assert.equal(fake.objects.size + fake.uploads.size, 0);
  });

  test('aborts the whole upload when a part never succeeds', async () => {
    fake.fault = ({ method, url }) =>
      method === 'PUT' && url.includes('partNumber=2') ? { status: 500 } : null;
    await assert.rejects(blobs.put('big', piecesOf(randomBytes(4 * PART_BYTES))), BlobsUnavailable);
    assert.equal(fake.objects.size + fake.uploads.size, 0);
  });

  test('gives up in time on a server that does not answer', async (context) => {
    const impatient = await open(fake, IDLE_MS);
    context.after(() => impatient.close());
    fake.fault = () => 'hang';
    await inTime(assert.rejects(impatient.head('a'), BlobsUnavailable), 'the request');
  });

  for (const parts of [1, 3])
    test(`stores content over a line on which a request takes longer than a server may be silent, in ${parts} parts`, async (context) => {
      const patient = await open(fake, IDLE_MS);
      context.after(() => patient.close());
      fake.fault = ({ method }) => (method === 'PUT' ? { bytesPerSecond: 2 * PART_BYTES } : null);
      const content = randomBytes(parts * PART_BYTES);
      await patient.put('slow', piecesOf(content));
      assert.equal(fake.requests.filter(({ method }) => method === 'PUT').length, parts);
      fake.fault = () => null;
      assert.ok(content.equals(await contentOf(blobs, 'slow')));
    });

  test('gives up in time on a server that takes content and does not answer', async (context) => {
    const impatient = await open(fake, IDLE_MS);
    context.after(() => impatient.close());
    fake.fault = () => 'hang';
    const put = impatient.put('a', piecesOf(randomBytes(PART_BYTES)));
    await inTime(assert.rejects(put, BlobsUnavailable), 'the request');
  });

  test('resumes an interrupted or stalled read as long as it makes progress', async (context) => {
    const impatient = await open(fake, IDLE_MS);
    context.after(() => impatient.close());
    const content = randomBytes(PART_BYTES);
    await blobs.put('cut', piecesOf(content));
    for (const fault of [{ cutAfter: 9_000 }, { stallAfter: 20_000 }]) {
      failing('GET', fault, 5);
      assert.ok(content.equals(await contentOf(impatient, 'cut')));
    }
    failing('GET', { cutAfter: 0 }, Number.POSITIVE_INFINITY);
    await assert.rejects(contentOf(blobs, 'cut'), BlobsUnavailable);
  });

  test('never reads a mixture when a blob is replaced during a read', async () => {
    await blobs.put('moving', piecesOf(randomBytes(PART_BYTES)));
    failing('GET', { cutAfter: 9_000 }, 1);
    const reading = blobs.get('moving')[Symbol.asyncIterator]();
    await reading.next();
    await blobs.put('moving', piecesOf(randomBytes(PART_BYTES)));
    const rest = async () => {
      while ((await reading.next()).done !== true);
    };
    await assert.rejects(rest, BlobsUnavailable);
  });

  test('recognizes its own first put when the response is lost', async () => {
    failing('PUT', 'answer-lost', 1);
    await blobs.put('manifest', piecesOf(Buffer.from('mine')), { ifAbsent: true });
    assert.equal((await contentOf(blobs, 'manifest')).toString(), 'mine');
    await assert.rejects(
      blobs.put('manifest', piecesOf(Buffer.from('mine')), { ifAbsent: true }),
      BlobExists,
    );
  });

  for (const fault of [
    { status: 501, code: 'NotImplemented' },
    { status: 400, code: 'InvalidArgument' },
  ])
    test(`stores with ifAbsent where the storage refuses conditions with ${fault.status}, and takes no name that is taken`, async () => {
      fake.fault = ({ isConditional }) => (isConditional ? fault : null);
      for (const parts of [1, 3]) {
        const [content, other] = [randomBytes(parts * PART_BYTES), randomBytes(parts * PART_BYTES)];
        await blobs.put(`new/${parts}`, piecesOf(content), { ifAbsent: true });
        await assert.rejects(
          blobs.put(`new/${parts}`, piecesOf(other), { ifAbsent: true }),
          (error) => error instanceof BlobExists,
        );
        assert.ok(content.equals(await contentOf(blobs, `new/${parts}`)));
      }
      assert.equal(fake.uploads.size, 0);
    });

  test('tells the reason of a refusal that has nothing to do with conditions', async () => {
    let requests = 0;
    // Once the name was looked for.
    fake.fault = () => (++requests === 1 ? null : { status: 400, code: 'ExpiredToken' });
    await assert.rejects(
      blobs.put('claim', piecesOf(randomBytes(PART_BYTES)), { ifAbsent: true }),
      /400 ExpiredToken/,
    );
  });

  test('stores nothing without its condition because content was damaged on its way', async () => {
    fake.fault = ({ isConditional }) => (isConditional ? 'corrupt' : null);
    await assert.rejects(
      blobs.put('summed', piecesOf(randomBytes(PART_BYTES)), { ifAbsent: true }),
      /400 BadDigest/,
    );
    assert.equal(fake.objects.size, 0);
  });

  test('detects corrupted parts by their checksum', async () => {
    for (const parts of [1, 3]) {
      failing('PUT', 'corrupt', 1);
      await assert.rejects(blobs.put('summed', piecesOf(randomBytes(parts * PART_BYTES))), /400 BadDigest/);
      assert.equal(fake.objects.size + fake.uploads.size, 0);
    }
  });
});
