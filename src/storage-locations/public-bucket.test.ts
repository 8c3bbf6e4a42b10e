// Public buckets: read without credentials, in their own region, from the storage's own hosts, and nowhere else.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { openSource } from './open-source.ts';
import { AWS_STORAGE, type PublicStorage } from './public-bucket.ts';
import type { S3Access } from './s3-source.ts';
import { type Source, type SourceFile, SourceProblem, SourceUnavailable } from './source.ts';
import { BadStorageUri, parseStorageUri } from './storage-uri.ts';
import { type FakeS3, fakeS3, refuse } from './testing/fake-s3.ts';

const PRIVATE: S3Access = {
  endpoint: null,
  region: 'r',
  credentials: { accessKeyId: 'AK', secretAccessKey: 'SK' },
  mayBePrivate: true,
};

describe('a public bucket', () => {
  let s3: FakeS3;
  beforeEach(async () => {
    s3 = await fakeS3();
    s3.objects.set('in/ns/1.jsonl', Buffer.from('one'));
  });
  afterEach(() => s3.close());

  function open(uri = 's3://bucket/in', storage: Partial<PublicStorage> = {}): Promise<Source> {
    const publicStorage = { endpoint: `${s3.endpoint}/{region}`, mayBePrivate: true, ...storage };
    return openSource(uri, { roots: [parseStorageUri('s3://own')], s3: PRIVATE, publicStorage });
  }

  /** Answers HEAD requests, and those of the region with the fake's own paths. */
  function inRegion(region: string): void {
    s3.fault = ({ method, path }, answer) => {
      if (method !== 'HEAD')
        return !path.startsWith(`/${region}/`) && refuse(answer, 301, 'PermanentRedirect');
      answer.writeHead(301, { 'x-amz-bucket-region': region, location: 'http://127.0.0.1:9/' }).end();
      return true;
    };
  }

  it('is asked for its region, and then read there, without a signature', async () => {
    inRegion('eu-west-1');
    const source = await open();
    await source.list();
    assert.deepEqual(
      s3.requests.map(({ method, path, authorization }) => [method, path.split('?')[0], authorization]),
      [
        ['HEAD', '/us-east-1/bucket', undefined],
        ['GET', '/eu-west-1/bucket/', undefined],
      ],
    );
    await source.close();
  });

  it('is read in the first region where none is named, or none that is one', async () => {
    for (const region of [undefined, 'evil.example/', '../x', 'EU-WEST-1', 'eu-west-1.evil.org']) {
      s3.requests.length = 0;
      s3.fault = ({ method }, answer) => {
        if (method !== 'HEAD') return false;
        answer.writeHead(200, region === undefined ? {} : { 'x-amz-bucket-region': region }).end();
        return true;
      };
      const source = await open();
      await source.list();
      assert.match(s3.requests.at(-1)?.path ?? '', /^\/us-east-1\/bucket\//);
      await source.close();
    }
  });

  it('fails with a lasting error when it does not exist or refuses access', async () => {
    s3.fault = (_, answer) => refuse(answer, 404, 'NoSuchBucket');
    await assert.rejects(open(), (error: Error) => {
      return error instanceof SourceProblem && error.message === 'Bucket bucket does not exist.';
    });
    s3.fault = (_, answer) => refuse(answer, 403, 'AccessDenied');
    const source = await open();
    await assert.rejects(source.list(), (error: Error) => {
      return error instanceof SourceProblem && /it refuses access \(AccessDenied\)/.test(error.message);
    });
    await source.close();
  });

  it('is not found by following a redirect', async () => {
    s3.fault = ({ method }, answer) => {
      if (method === 'HEAD') answer.writeHead(200).end();
      else answer.writeHead(307, { location: `${s3.endpoint}/elsewhere` }).end();
      return true;
    };
    const source = await open();
    await assert.rejects(source.list());
    assert.ok(s3.requests.every(({ path }) => path.startsWith('/us-east-1/')));
    await source.close();
  });

  it('is never in a private network, whatever other storage may be', async () => {
    await assert.rejects(open('s3://bucket/in', { mayBePrivate: false }), /private network/);
    const byName = s3.endpoint.replace('127.0.0.1', 'localhost');
    const storage = { endpoint: `${byName}/{region}`, mayBePrivate: false };
    await assert.rejects(open('s3://bucket/in', storage), /localhost is an address of a private network/);
    assert.deepEqual(s3.requests, []);
  });

  it('fails with a transient error when the storage does not answer', async () => {
    s3.close();
    await assert.rejects(open(), SourceUnavailable);
  });

  it('is refused where public storage is closed, and so are files outside the roots', async () => {
    const rules = { roots: [], s3: PRIVATE };
    await assert.rejects(openSource('s3://bucket/in', rules), /no longer imports/);
    await assert.rejects(open('file:///etc'), /no longer imports/);
    assert.deepEqual(s3.requests, []);
  });

  it('is read in ranges', async () => {
    inRegion('us-east-1');
    s3.objects.set('bucket/in/ns/1.jsonl', Buffer.from('one'));
    const source = await open();
    const file = await source.open({ path: 'ns/1.jsonl', bytes: 3, version: '' } satisfies SourceFile);
    assert.equal(Buffer.from(await file.read(1, 3)).toString(), 'ne');
    await source.close();
  });
});

it('names no host with a bucket, and no bucket that is an address', () => {
  assert.equal(
    new URL(AWS_STORAGE.endpoint.replace('{region}', 'eu-west-1')).host,
    's3.eu-west-1.amazonaws.com',
  );
  for (const uri of ['s3://169.254.169.254/x', 's3://a..b/x', 's3://evil.org@x/', 's3://x:80/'])
    assert.throws(() => parseStorageUri(uri), BadStorageUri, uri);
});
