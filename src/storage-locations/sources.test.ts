// Tests the sources of imports: folders and buckets, and nothing outside of them.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { openFolderSource } from './folder-source.ts';
import { openSource } from './open-source.ts';
import { isPrivateAddress, isPrivateHost, publicLookup } from './public-addresses.ts';
import type { S3Access } from './s3-source.ts';
import { type Source, type SourceFile, SourceProblem, SourceUnavailable } from './source.ts';
import { BadStorageUri, isUnder, parseStorageUri } from './storage-uri.ts';
import { type FakeS3, fakeS3, type InjectedFault, refuse } from './testing/fake-s3.ts';

const NO_S3: S3Access = { endpoint: null, region: 'r', credentials: null, mayBePrivate: false };

describe('an address of a folder', () => {
  it('means what it shows: nothing is decoded or resolved into another folder', () => {
    assert.deepEqual(parseStorageUri('file:///a/b%20c/'), { kind: 'file', path: '/a/b c' });
    assert.deepEqual(parseStorageUri('s3://my.bucket//x//y/'), {
      kind: 's3',
      bucket: 'my.bucket',
      prefix: 'x/y',
    });
    for (const uri of [
      'file:///a/../b',
      'file:///a/%2e%2E/b',
      'file:///a/..%2fb',
      'file:///a%00',
      'file:///a\n',
      'file://host/a',
      'file:a',
      's3://b/../c',
      's3://BUCKET/c',
      's3:///c',
      's3://b?x',
      'gs://bucket/x',
      'http://127.0.0.1/x',
      '',
    ]) {
      assert.throws(() => parseStorageUri(uri), BadStorageUri, uri);
    }
  });

  it('is below a root only by whole path components', () => {
    const roots = ['file:///data/in', 's3://bucket/team'].map(parseStorageUri);
    const under = (uri: string) => isUnder(parseStorageUri(uri), roots);
    for (const uri of ['file:///data/in', 'file:///data/in/x', 's3://bucket/team/y'])
      assert.ok(under(uri), uri);
    for (const uri of [
      'file:///data/inside',
      'file:///data',
      's3://bucket/teams',
      's3://bucket',
      's3://other/team',
    ]) {
      assert.ok(!under(uri), uri);
    }
  });
});

describe('private addresses', () => {
  it('are those of private networks, link-local, loopback and cloud metadata, in any notation', () => {
    for (const address of [
      '10.1.2.3',
      '127.0.0.1',
      '169.254.169.254',
      '192.168.0.1',
      '172.31.0.1',
      '100.64.0.1',
      '0.0.0.0',
      '::1',
      '::',
      'fd00::1',
      'fe80::1',
      '::ffff:10.0.0.1',
      'nonsense',
    ]) {
      assert.ok(isPrivateAddress(address), address);
    }
    for (const address of ['8.8.8.8', '172.32.0.1', '2600::1', '::ffff:8.8.8.8'])
      assert.ok(!isPrivateAddress(address), address);
    assert.ok(isPrivateHost('[::1]') && !isPrivateHost('example.org'));
  });

  it('are not connected to, even if a name resolves to them', async () => {
    const error = await new Promise((resolve) => publicLookup('localhost', {}, resolve));
    assert.equal((error as { readonly code?: string }).code, 'EPRIVATE');
  });
});

describe('a folder', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(`${tmpdir()}/pinyon-source-`);
    mkdirSync(`${folder}/in/ns`, { recursive: true });
    mkdirSync(`${folder}/out`);
    for (const name of ['b', 'a', 'é']) writeFileSync(`${folder}/in/ns/${name}.jsonl`, name);
    writeFileSync(`${folder}/out/secret.jsonl`, 'secret');
  });
  after(() => rmSync(folder, { recursive: true }));

  function open(path = 'in'): Promise<Source> {
    const roots = [parseStorageUri(`file://${folder}/in`)];
    return openSource(`file://${folder}/${path}`, { roots, s3: NO_S3 });
  }

  it('lists its files in bytewise order and reads ranges of them', async () => {
    const source = await open();
    const files = await source.list();
    assert.deepEqual(
      files.map(({ path }) => path),
      ['ns/a.jsonl', 'ns/b.jsonl', 'ns/é.jsonl'],
    );
    const file = await source.open(files[2] as SourceFile);
    assert.equal(Buffer.from(await file.read(1, 2)).toString('latin1'), '\xa9');
    await assert.rejects(file.read(0, 9), SourceProblem);
    await file.close();
  });

  for (const kind of ['file', 'folder'])
    it(`is refused with the name of a ${kind} that is not UTF-8, as the caller wrote the rest`, {
      // Others have file systems that take no such name.
      skip: process.platform !== 'linux',
    }, async (test) => {
      const named = Buffer.concat([Buffer.from(`${folder}/in/caf`), Buffer.from([0xe9])]);
      if (kind === 'file') writeFileSync(named, '{}');
      else mkdirSync(named);
      test.after(() => rmSync(named, { recursive: true }));
      const source = await openFolderSource({ path: `${folder}/in`, roots: [folder], uri: 'file:///mine' });
      await assert.rejects(source.list(), (error) => {
        assert.ok(error instanceof SourceProblem, String(error));
        assert.equal(error.message, 'The name of caf\ufffd in file:///mine is not UTF-8. Rename it.');
        return true;
      });
    });

  it('is refused without its place on the server where it was removed meanwhile', async () => {
    mkdirSync(`${folder}/in/gone`);
    const source = await openFolderSource({
      path: `${folder}/in/gone`,
      roots: [folder],
      uri: 'file:///mine',
    });
    rmSync(`${folder}/in/gone`, { recursive: true });
    const isRemoved = (error: unknown) =>
      error instanceof SourceProblem && error.message === 'file:///mine was removed during the import.';
    await assert.rejects(source.list(), isRemoved);
  });

  it('is not left through links, nor through a replaced file', async () => {
    symlinkSync(`${folder}/out`, `${folder}/in/link`);
    await assert.rejects(open('in/link'), /is outside the folders/);
    await assert.rejects(async () => (await open()).list(), /do not follow links/);
    rmSync(`${folder}/in/link`);
    const source = await open();
    const [first] = await source.list();
    rmSync(`${folder}/in/ns/a.jsonl`);
    symlinkSync(`${folder}/out/secret.jsonl`, `${folder}/in/ns/a.jsonl`);
    await assert.rejects(source.open(first as SourceFile), SourceProblem);
    rmSync(`${folder}/in/ns/a.jsonl`);
    writeFileSync(`${folder}/in/ns/a.jsonl`, 'another');
    await assert.rejects(source.open(first as SourceFile), /has changed/);
    await assert.rejects(open('out'), /no longer imports from/);
  });
});

describe('a bucket', () => {
  let s3: FakeS3;
  beforeEach(async () => {
    s3 = await fakeS3();
    for (const key of ['in/b/2', 'in/a/1', 'in/c & <d>/3', 'in/', 'inside/x'])
      s3.objects.set(key, Buffer.from(`of ${key}`));
  });
  afterEach(() => s3.close());

  function open(details: Partial<S3Access> = {}): Promise<Source> {
    const credentials = { accessKeyId: 'AK', secretAccessKey: 'SK' };
    const access = {
      endpoint: s3.endpoint,
      region: 'us-east-1',
      credentials,
      mayBePrivate: true,
      ...details,
    };
    return openSource('s3://bucket/in', { roots: [parseStorageUri('s3://bucket')], s3: access });
  }

  async function read(source: Source, at: number): Promise<string> {
    const file = await source.open((await source.list())[at] as SourceFile);
    return Buffer.from(await file.read(0, file.size)).toString();
  }

  it('is listed page by page below the folder alone, and read in ranges', async () => {
    const source = await open();
    assert.deepEqual(
      (await source.list()).map(({ path }) => path),
      ['a/1', 'b/2', 'c & <d>/3'],
    );
    assert.equal(await read(source, 2), 'of in/c & <d>/3');
    assert.equal(s3.requests.at(-1)?.range, 'bytes=0-14');
    await source.close();
  });

  it('is read despite a few responses with 500 or interruptions', async () => {
    const source = await open();
    let faults = 0;
    s3.fault = (requests, answer) => {
      if (requests.range === undefined || ++faults > 2) return false;
      if (faults === 1) return refuse(answer, 500, 'InternalError');
      answer.writeHead(206, { 'content-length': 10 }).write('of');
      setTimeout(() => answer.destroy(), 5);
      return true;
    };
    assert.equal(await read(source, 0), 'of in/a/1');
    assert.equal(faults, 3);
  });

  it('fails with a transient error when it is silent, or sends a byte now and then', async () => {
    const patient = await open();
    const source = await open({ limits: { idleMs: 500, readMs: 2_000, attemptsMax: 1 } });
    const files = await patient.list();
    const file = await source.open(files[0] as SourceFile);
    const dripping = new Set<NodeJS.Timeout>();
    const faults: readonly InjectedFault[] = [
      () => true,
      (_, answer) => answer.writeHead(206, { 'content-length': 10 }).write('o'),
      (_, answer) => {
        answer.writeHead(206, { 'content-length': 1_000 });
        const drip = setInterval(() => answer.write('o'), 20);
        dripping.add(drip);
        answer.on('close', () => clearInterval(drip));
        return true;
      },
    ];
    for (const fault of faults) {
      s3.fault = fault;
      await assert.rejects(file.read(0, 10), SourceUnavailable);
    }
    s3.fault = () => true;
    await assert.rejects(source.list(), SourceUnavailable);
    s3.fault = null;
    assert.equal(await read(patient, 0), 'of in/a/1');
    for (const drip of dripping) clearInterval(drip);
    for (const each of [source, patient]) await each.close();
  });

  it('fails with a lasting error when it refuses, or a file is missing or replaced, and with a transient one when it is down', async () => {
    const source = await open();
    s3.fault = (_, answer) => refuse(answer, 403, 'AccessDenied');
    await assert.rejects(
      source.list(),
      (error: Error) => error instanceof SourceProblem && /refuses access/.test(error.message),
    );
    s3.fault = null;
    const [first] = await source.list();
    s3.objects.set('in/a/1', Buffer.from('another'));
    const file = await source.open(first as SourceFile);
    await assert.rejects(file.read(0, 3), /has changed during the import/);
    s3.objects.delete('in/a/1');
    await assert.rejects(file.read(0, 3), /it does not exist/);
    s3.close();
    await assert.rejects(file.read(0, 3), SourceUnavailable);
  });

  it('sends no request into a private network unless that is allowed', async () => {
    await assert.rejects(open({ mayBePrivate: false }), /private network/);
    const source = await open({
      mayBePrivate: false,
      endpoint: s3.endpoint.replace('127.0.0.1', 'localhost'),
    });
    await assert.rejects(source.list(), /localhost is an address of a private network/);
    assert.deepEqual(s3.requests, []);
  });
});
