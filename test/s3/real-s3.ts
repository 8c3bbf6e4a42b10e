// The blob port and whole backups against a real S3 server. Run: npm run test:s3 (installs Debian's Ceph where it may).
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { describeBlobs } from '../../src/blobs/conformance/conformance-suite.ts';
import { openS3Blobs } from '../../src/blobs/s3/open-s3-blobs.ts';
import { call } from '../support/call.ts';
import { API_KEY, type Service, startService } from '../support/service.ts';
import { type RealS3, startRealS3, whyNotHere } from './ceph.ts';

const BUCKET = 'pinyon-tests';
const REGION = 'us-east-1';
/** The least that S3 takes as a part. */
const PART_BYTES = 5 * 2 ** 20;

const reason = whyNotHere();
if (reason !== null) {
  process.stdout.write(`SKIPPED: no real S3 server can be run here: ${reason}\n`);
} else {
  const storage = await startRealS3();
  const { endpoint, accessKeyId, secretAccessKey } = storage;
  const credentials = { accessKeyId, secretAccessKey };
  const admin = new S3Client({ endpoint, region: REGION, credentials, forcePathStyle: true });
  await admin.send(new CreateBucketCommand({ Bucket: BUCKET }));
  admin.destroy();

  describe('a real S3 server', () => {
    after(() => storage.stop());

    describeBlobs('S3, Ceph', async () => {
      const limits = { partBytes: PART_BYTES };
      const place = { bucket: BUCKET, prefix: 'contract', endpoint, region: REGION };
      const blobs = await openS3Blobs({ ...place, credentials, limits });
      return { blobs, bigBytes: PART_BYTES, dispose: () => blobs.close() };
    });

    describeService(storage);
  });
}

function describeService({ endpoint, accessKeyId, secretAccessKey }: RealS3): void {
  describe('the service with its backups in S3', () => {
    let service: Service;

    before(async () => {
      service = await startService({
        env: {
          PINYON_BLOBS: `s3://${BUCKET}/service`,
          PINYON_S3_ENDPOINT: endpoint,
          PINYON_S3_ACCESS_KEY_ID: accessKeyId,
          PINYON_S3_SECRET_ACCESS_KEY: secretAccessKey,
        },
      });
    });
    after(() => service.dispose());

    async function body(method: string, path: string, sent?: unknown) {
      const answer = await service.call(method, path, sent === undefined ? {} : { body: sent });
      assert.ok(answer.status < 300, answer.text);
      return answer.body as Readonly<Record<string, unknown>>;
    }

    it('backs up and restores an index of several megabytes', async () => {
      const host = await service.createIndex({ name: 'books', dimension: 256, metric: 'cosine' });
      for (let lot = 0; lot < 50; lot += 1) {
        const vectors = Array.from({ length: 200 }, (_, at) => ({
          id: `id-${lot}-${at}`,
          values: Array.from({ length: 256 }, () => Math.random()),
        }));
        const answer = await call(host, 'POST', '/vectors/upsert', { key: API_KEY, body: { vectors } });
        assert.equal(answer.status, 200);
      }
      const { backup_id: id } = await body('POST', '/indexes/books/backups', {});
      while ((await body('GET', `/backups/${id}`)).status === 'Initializing') await sleep(100);
      const backup = await body('GET', `/backups/${id}`);
      assert.deepEqual([backup.status, backup.record_count], ['Ready', 10_000]);
      const { restore_job_id: job } = await body('POST', `/backups/${id}/create-index`, { name: 'again' });
      while ((await body('GET', `/restore-jobs/${job}`)).status === 'Pending') await sleep(100);
      assert.equal((await body('GET', `/restore-jobs/${job}`)).status, 'Completed');
      assert.equal((await service.call('DELETE', `/backups/${id}`)).status, 202);
    });
  });
}
