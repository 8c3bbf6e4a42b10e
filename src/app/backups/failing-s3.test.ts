// Backups in S3-compatible storage that fails, refuses, is slow or truncates its responses.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { openS3Blobs } from '../../blobs/s3/open-s3-blobs.ts';
import { FakeS3, type S3Fault, type S3Request } from '../../blobs/s3/testing/fake-s3.ts';
import { HANG_MS } from '../../platform/testing/until.ts';
import { OWNER } from '../indexes/testing/control-plane.ts';
import { BackupFixture, NO_LABELS } from './testing/backup-fixture.ts';

const CREDENTIALS = { accessKeyId: 'AK', secretAccessKey: 'a-secret-that-no-message-shows' };
/** Silence is tolerated a few times; a response this slow on a busy machine would count as one more failure. */
const LIMITS = { connectMs: HANG_MS, idleMs: 1_000, attemptsMax: 2, partBytes: 1_500 };

describe('backups in S3 that fails', () => {
  let fixture: BackupFixture;
  let fake: FakeS3;

  beforeEach(async () => {
    fixture = await BackupFixture.make();
    fake = await FakeS3.start();
    const blobs = await openS3Blobs({
      bucket: 'bucket',
      prefix: 'p',
      endpoint: fake.endpoint,
      region: 'us-east-1',
      credentials: CREDENTIALS,
      limits: LIMITS,
    });
    await fixture.restartWith(bound(blobs));
  });

  afterEach(async () => {
    await fixture.dispose();
    await fake.close();
  });

  /** Injects the fault into this many requests of a method for parts. */
  function failing(method: string, fault: S3Fault, times = Number.POSITIVE_INFINITY): void {
    let left = times;
    fake.fault = (request: S3Request) => {
      if (request.method !== method || !request.url.includes('part-') || left === 0) return null;
      left -= 1;
      return fault;
    };
  }

  const passing: readonly [string, S3Fault, number][] = [
    ['errors of its own', { status: 500, code: 'InternalError' }, 2],
    ['answers that are lost', 'answer-lost', 1],
    ['no answer', 'hang', 1],
    ['bytes that arrive changed', 'corrupt', 1],
  ];
  for (const [what, fault, times] of passing) {
    test(`survives passing ${what} during a backup`, async () => {
      failing('PUT', fault, times);
      const { id } = await fixture.server.backups.create(OWNER, 'books', NO_LABELS);
      assert.equal((await fixture.settled(id)).state, 'Ready');
      assert.equal(fake.uploads.size, 0);
    });
  }

  test('fails a backup permanently when storage refuses it, gives the reason without secrets, and leaves nothing', async () => {
    failing('PUT', { status: 403, code: 'AccessDenied' });
    const { id } = await fixture.server.backups.create(OWNER, 'books', NO_LABELS);
    assert.equal((await fixture.settled(id)).state, 'Failed');
    assert.deepEqual([fake.objects.size, fake.uploads.size], [0, 0]);
    const messages = fixture.host.failures.map(String).join('\n');
    assert.match(messages, /AccessDenied|403/);
    assert.doesNotMatch(messages, /a-secret-that/);
  });

  test('restores despite truncated and slow responses; never shows Ready when storage refuses', async () => {
    const backup = await fixture.readyBackup();
    const faults: readonly [string, S3Fault, number, string][] = [
      ['cut', { cutAfter: 700 }, 2, 'Ready'],
      ['slow', { stallAfter: 700 }, 2, 'Ready'],
      ['error', { status: 503, code: 'SlowDown' }, 1, 'Ready'],
      ['refused', { status: 403, code: 'AccessDenied' }, Number.POSITIVE_INFINITY, 'InitializationFailed'],
    ];
    for (const [name, fault, times, state] of faults) {
      failing('GET', fault, times);
      const job = await fixture.server.backups.restore(OWNER, backup.id, { name });
      await fixture.ended(job.id);
      assert.equal((await fixture.server.indexes.describe(OWNER, name)).state, state, name);
    }
  });

  test('detects one changed bit in storage before the index shows Ready', async () => {
    const backup = await fixture.readyBackup();
    for (const [key, { body, ...fields }] of [...fake.objects].filter(([at]) => at.includes('part-'))) {
      const changed = Buffer.from(body);
      changed[changed.length >> 1] = (changed[changed.length >> 1] ?? 0) ^ 1;
      fake.objects.set(key, { ...fields, body: changed });
    }
    const job = await fixture.server.backups.restore(OWNER, backup.id, { name: 'copy' });
    const { state, attempts } = await fixture.ended(job.id);
    assert.deepEqual([state, attempts], ['Failed', 1]);
    assert.equal((await fixture.server.indexes.describe(OWNER, 'copy')).state, 'InitializationFailed');
  });
});

function bound(blobs: Awaited<ReturnType<typeof openS3Blobs>>): Parameters<BackupFixture['restartWith']>[0] {
  return {
    put: (...args) => blobs.put(...args),
    get: (...args) => blobs.get(...args),
    head: (key) => blobs.head(key),
    list: (...args) => blobs.list(...args),
    delete: (key) => blobs.delete(key),
  };
}
