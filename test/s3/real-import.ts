// Imports from a real S3 server and exports to it. Run with the rest of npm run test:s3.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { call } from '../support/call.ts';
import { jsonlBytes, parquetBytes } from '../support/import-files.ts';
import { API_KEY, type Service, startService } from '../support/service.ts';
import { recordsOf } from '../support/wire-records.ts';
import { type RealS3, startRealS3, whyNotHere } from './ceph.ts';

const BUCKET = 'pinyon-imports';
const REGION = 'us-east-1';
const DIMENSION = 64;
/** More than a window of the reader, and more keys than a page of a list. */
const ROWS = 30_000;
const SMALL_FILES = 1_100;

interface State {
  readonly status: string;
  readonly error?: string;
  readonly recordsImported?: number;
  readonly recordsExported?: number;
}

const reason = whyNotHere();
if (reason !== null) {
  process.stdout.write(`SKIPPED: no real S3 server can be run here: ${reason}\n`);
} else {
  const storage = await startRealS3();
  describe('imports and exports over a real S3 server', () => {
    after(() => storage.stop());
    describeTransfers(storage);
  });
}

function describeTransfers({ endpoint, accessKeyId, secretAccessKey }: RealS3): void {
  const credentials = { accessKeyId, secretAccessKey };
  const admin = new S3Client({ endpoint, region: REGION, credentials, forcePathStyle: true });
  const place = `s3://${BUCKET}`;
  const env = {
    PINYON_IMPORT_FROM: place,
    PINYON_EXPORT_TO: `${place}/exports`,
    PINYON_PRIVATE_STORAGE: 'true',
    PINYON_S3_ENDPOINT: endpoint,
    PINYON_S3_REGION: REGION,
    PINYON_S3_ACCESS_KEY_ID: accessKeyId,
    PINYON_S3_SECRET_ACCESS_KEY: secretAccessKey,
  };
  let service: Service;

  before(async () => {
    await admin.send(new CreateBucketCommand({ Bucket: BUCKET }));
    service = await startService({ env });
  });
  after(async () => {
    admin.destroy();
    await service.dispose();
  });

  async function put(key: string, body: Uint8Array): Promise<void> {
    await admin.send(new PutObjectCommand({ Bucket: BUCKET, Key: key, Body: body }));
  }

  function rows(prefix: string, count: number) {
    return Array.from({ length: count }, (_, i) => ({
      id: `${prefix}${i}`,
      values: Array.from({ length: DIMENSION }, (_, at) => Math.fround(Math.sin(i * 7 + at)) + 0.01),
      metadata: JSON.stringify({ i }),
    }));
  }

  async function makeIndex(name: string): Promise<string> {
    return service.createIndex({ name, dimension: DIMENSION, metric: 'cosine' });
  }

  async function transferred(host: string, what: 'imports' | 'exports', body: unknown): Promise<State> {
    const begun = await call(host, 'POST', `/bulk/${what}`, { key: API_KEY, body });
    assert.equal(begun.status, 200, begun.text);
    const { id } = begun.body as { readonly id: string };
    for (;;) {
      const state = (await call(host, 'GET', `/bulk/${what}/${id}`, { key: API_KEY })).body as State;
      if (!['Pending', 'InProgress'].includes(state.status)) return state;
      await pause(50);
    }
  }

  it('read large files in ranges, and more files than one page of the list has', async () => {
    await put('in/big/1.parquet', parquetBytes(rows('p', ROWS)));
    await put('in/big/2.jsonl', jsonlBytes(rows('j', 2_000)));
    await put('in/odd name & <x>/a+b %.jsonl', jsonlBytes(rows('o', 3)));
    await put('in/', new Uint8Array());
    const keys = Array.from({ length: SMALL_FILES }, (_, i) => `in/small/${i}.jsonl`);
    for (let first = 0; first < keys.length; first += 50) {
      await Promise.all(
        keys.slice(first, first + 50).map((key, at) => put(key, jsonlBytes(rows(`s${first + at}-`, 1)))),
      );
    }
    const host = await makeIndex('films');
    const state = await transferred(host, 'imports', { uri: `${place}/in` });
    assert.deepEqual([state.status, state.error], ['Completed', undefined]);
    assert.equal(state.recordsImported, ROWS + 2_000 + 3 + SMALL_FILES);
  });

  it('give back exactly what was exported to a bucket', async () => {
    const source = await makeIndex('source');
    await transferred(source, 'imports', { uri: `${place}/in` });
    for (const format of ['parquet', 'jsonl']) {
      const uri = `${place}/exports/${format}`;
      assert.equal((await transferred(source, 'exports', { uri, format })).status, 'Completed');
      const again = await transferred(source, 'exports', { uri, format });
      assert.equal(again.error, 'The target folder of the export is not empty.');
      const target = await makeIndex(`target-${format}`);
      assert.equal((await transferred(target, 'imports', { uri })).status, 'Completed');
      for (const namespace of ['odd name & <x>', 'small']) {
        assert.deepEqual(await recordsOf(target, namespace), await recordsOf(source, namespace));
      }
    }
  });

  it('say what is wrong with a bucket that is not there, and with credentials that are refused', async () => {
    const host = await makeIndex('refused');
    const nothing = await transferred(host, 'imports', { uri: `${place}/none` });
    assert.match(nothing.error ?? '', /There are no files/);
    await service.stop();
    await service.start({ env: { ...env, PINYON_S3_SECRET_ACCESS_KEY: 'wrong' } });
    const refused = await transferred(host, 'imports', { uri: `${place}/in` });
    assert.match(refused.error ?? '', /Could not list .*: it refuses access \(/);
    const written = await transferred(host, 'exports', { uri: `${place}/exports/refused` });
    assert.equal(written.status, 'Failed');
    await service.stop();
    await service.start({ env: { ...env, PINYON_IMPORT_FROM: 's3://pinyon-no-such-bucket' } });
    const missing = await transferred(host, 'imports', { uri: 's3://pinyon-no-such-bucket/in' });
    assert.match(missing.error ?? '', /Could not list .*: it does not exist \(NoSuchBucket\)/);
    await service.stop();
    await service.start({ env });
  });

  it('fail when a file is replaced while it is read', async () => {
    const host = await makeIndex('replaced');
    const begun = await call(host, 'POST', '/bulk/imports', { key: API_KEY, body: { uri: `${place}/in` } });
    const { id } = begun.body as { readonly id: string };
    const look = async () => (await call(host, 'GET', `/bulk/imports/${id}`, { key: API_KEY })).body as State;
    while (((await look()).recordsImported ?? 0) === 0) await pause(5);
    await put('in/small/1099.jsonl', jsonlBytes(rows('changed', 2)));
    let state = await look();
    for (; ['Pending', 'InProgress'].includes(state.status); state = await look()) await pause(20);
    assert.equal(state.status, 'Failed');
    assert.match(state.error ?? '', /has changed during the import/);
    const stats = await call(host, 'POST', '/describe_index_stats', { key: API_KEY, body: {} });
    assert.equal((stats.body as { readonly totalVectorCount: number }).totalVectorCount, 0);
  });
}
