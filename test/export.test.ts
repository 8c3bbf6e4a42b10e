// Exports: what is written, imported into another index, is the same record for record.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { call } from './support/call.ts';
import { Random } from './support/random.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { found } from './support/until.ts';
import { recordsOf, upsert, type WireRecord } from './support/wire-records.ts';

interface Transfer {
  readonly status: string;
  readonly error?: string;
  readonly recordsExported?: number;
  readonly recordsImported?: number;
}

interface Manifest {
  readonly records: number;
  readonly namespaces: readonly {
    readonly name: string;
    readonly folder: string;
    readonly records: number;
  }[];
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly sha256: string }[];
}

const KINDS = {
  dense: { dimension: 7, metric: 'euclidean' },
  hybrid: { dimension: 3, metric: 'dotproduct' },
  sparse: { vector_type: 'sparse', metric: 'dotproduct' },
} as const;
const NAMESPACES = [
  '__default__',
  'plain',
  'a/b .. %c',
  '../..',
  '.hidden',
  'x'.repeat(512),
  'manifest.json',
  'claim.json',
];

/** Both zeros, the smallest numbers, the largest, and one that a float cannot be. */
const ODD_NUMBERS = [-0, 0, 1e-45, -1e-45, 1.17549435e-38, 3.4028234e38, -3.4028234e38, 0.1];
const ODD_METADATA: readonly Readonly<Record<string, unknown>>[] = [
  {},
  { '': '', ['__proto__']: 'own', constructor: true },
  { big: 2 ** 53, bigger: 1e300, small: 5e-324, minus: -0, sum: 0.1 + 0.2 },
  { text: 'é\n"😀\u2028\u0000', 'naïve 键': ['', 'a', '\\'], none: [] },
  { yes: true, long: 'x'.repeat(30_000) },
];

function randomRecords(kind: keyof typeof KINDS, random: Random, count: number): WireRecord[] {
  const pick = <Value>(values: readonly Value[]) => values[random.below(values.length)] as Value;
  const usual = () => Math.fround((random.next() - 0.5) * 10 ** (random.below(9) - 4)) || 1;
  const float = () => (random.below(4) === 0 ? pick(ODD_NUMBERS) : usual());
  const dense = (length: number) => [...Array.from({ length: length - 1 }, float), usual() + 1e-3];
  const sparseValues = () => {
    const indices = [...new Set(Array.from({ length: 1 + random.below(5) }, () => random.below(2 ** 32)))];
    return { indices, values: indices.map(float) };
  };
  return Array.from({ length: count }, (_, i) => ({
    id: i === 0 ? 'i'.repeat(512) : `${random.below(1e9)}-${i}"\\`,
    ...(kind === 'sparse' ? {} : { values: dense(kind === 'dense' ? 7 : 3) }),
    ...(kind === 'sparse' || (kind === 'hybrid' && i % 2 === 0) ? { sparseValues: sparseValues() } : {}),
    ...(i % 3 === 0 ? {} : { metadata: pick(ODD_METADATA) }),
  }));
}

describe('exports', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-exports-'));
  let service: Service;
  before(async () => {
    mkdirSync(`${folder}/files`);
    const place = `file://${folder}/files`;
    service = await startService({ env: { PINYON_IMPORT_FROM: place, PINYON_EXPORT_TO: place } });
  });
  after(async () => {
    await service.dispose();
    rmSync(folder, { recursive: true });
  });

  async function ask(
    host: string,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Readonly<Record<string, unknown>>> {
    const answer = await call(host, method, path, { key: API_KEY, ...(body === undefined ? {} : { body }) });
    assert.equal(answer.status, 200, answer.text);
    return answer.body as Readonly<Record<string, unknown>>;
  }

  async function transferred(
    host: string,
    what: 'imports' | 'exports',
    body: unknown,
  ): Promise<Transfer & { readonly id: string }> {
    const { id } = await ask(host, 'POST', `/bulk/${what}`, body);
    return await found(async () => {
      const state = (await ask(host, 'GET', `/bulk/${what}/${id}`)) as unknown as Transfer;
      return ['Pending', 'InProgress'].includes(state.status) ? undefined : { ...state, id: String(id) };
    }, `the job ${id}`);
  }

  for (const [kind, facts] of Object.entries(KINDS) as [keyof typeof KINDS, object][]) {
    it(`return every record of a ${kind} index exactly, in Parquet and in JSONL`, async () => {
      const random = new Random(kind.length);
      const host = await service.createIndex({ name: kind, ...facts });
      for (const namespace of NAMESPACES) await upsert(host, namespace, randomRecords(kind, random, 30));
      const schema = { fields: { year: { filterable: true }, 'naïve 键': { filterable: true } } };
      for (const body of [{ name: 'schema', schema }, { name: 'empty' }])
        await ask(host, 'POST', '/namespaces', body);
      const namespaces = await ask(host, 'GET', '/namespaces');
      for (const format of ['parquet', 'jsonl']) {
        const uri = `file://${folder}/files/${kind}-${format}`;
        const state = await transferred(host, 'exports', { uri, format });
        assert.deepEqual(
          [state.status, state.recordsExported],
          ['Completed', 30 * NAMESPACES.length],
          state.error ?? '',
        );
        const target = await service.createIndex({ name: `${kind}-${format}`, ...facts });
        const read = await transferred(target, 'imports', { uri, errorMode: { onError: 'abort' } });
        assert.deepEqual(
          [read.status, read.recordsImported],
          ['Completed', 30 * NAMESPACES.length],
          read.error ?? '',
        );
        assert.deepEqual(await ask(target, 'GET', '/namespaces'), namespaces);
        for (const namespace of NAMESPACES) {
          assert.deepEqual(await recordsOf(target, namespace), await recordsOf(host, namespace));
        }
      }
    });
  }

  it('list their files with counts and checksums, and import completely', async () => {
    const place = join(folder, 'files/dense-parquet');
    const manifest = JSON.parse(readFileSync(join(place, 'manifest.json'), 'utf8')) as Manifest;
    assert.equal(manifest.records, 30 * NAMESPACES.length);
    const names = manifest.namespaces.map(({ name }) => name);
    assert.deepEqual(names.sort(), [...NAMESPACES, 'empty', 'schema'].sort());
    for (const { path, bytes, sha256 } of manifest.files) {
      const content = readFileSync(join(place, path));
      assert.equal(content.byteLength, bytes);
      assert.equal(createHash('sha256').update(content).digest('hex'), sha256);
    }
    const [first] = manifest.files;
    const uri = `file://${place}`;
    rmSync(join(place, first?.path ?? ''));
    const host = await service.createIndex({ name: 'missing', ...KINDS.dense });
    assert.match((await transferred(host, 'imports', { uri })).error ?? '', /of the manifest is missing/);
  });

  it('write one namespace if one is named, and refuse a folder that is not empty', async () => {
    const host = await service.createIndex({ name: 'one', ...KINDS.dense });
    const random = new Random(1);
    for (const namespace of ['a', 'b']) await upsert(host, namespace, randomRecords('dense', random, 5));
    const uri = `file://${folder}/files/one`;
    const state = await transferred(host, 'exports', { uri, namespace: 'b' });
    assert.deepEqual([state.status, state.recordsExported], ['Completed', 5]);
    assert.ok(existsSync(`${folder}/files/one/b`) && !existsSync(`${folder}/files/one/a`));
    mkdirSync(`${folder}/files/full`);
    writeFileSync(`${folder}/files/full/mine`, 'kept');
    const again = await transferred(host, 'exports', { uri: `file://${folder}/files/full` });
    assert.deepEqual(
      [again.status, again.error],
      ['Failed', 'The target folder of the export is not empty.'],
    );
    assert.equal(readFileSync(`${folder}/files/full/mine`, 'utf8'), 'kept');
    mkdirSync(`${folder}/outside`);
    symlinkSync(`${folder}/outside`, `${folder}/files/link`);
    const linked = await transferred(host, 'exports', { uri: `file://${folder}/files/link/in` });
    assert.match(linked.error ?? '', /is outside the folders/);
    assert.deepEqual(readdirSync(`${folder}/outside`), []);
    for (const bad of [`file://${folder}/elsewhere`, 'file:///etc', 's3://bucket/x']) {
      const answer = await call(host, 'POST', '/bulk/exports', { key: API_KEY, body: { uri: bad } });
      assert.equal(answer.status, 400, bad);
    }
  });

  it("are downloaded file by file from the server's own storage, until they are deleted", async () => {
    const host = await service.createIndex({ name: 'down', ...KINDS.dense });
    await upsert(host, 'ns', randomRecords('dense', new Random(2), 20));
    const { id } = await transferred(host, 'exports', {});
    const manifest = (await ask(host, 'GET', `/bulk/exports/${id}/files`)) as unknown as Manifest;
    const [file] = manifest.files;
    const path = encodeURIComponent(file?.path ?? '');
    const answer = await fetch(`${host}/bulk/exports/${id}/files?path=${path}`, {
      headers: { 'api-key': API_KEY },
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    assert.equal(createHash('sha256').update(bytes).digest('hex'), file?.sha256);
    for (const bad of ['../../catalog.sqlite', 'ns/none.parquet', '..', 'ns/../manifest.json', '%00']) {
      const refused = await call(host, 'GET', `/bulk/exports/${id}/files?path=${encodeURIComponent(bad)}`, {
        key: API_KEY,
      });
      assert.equal(refused.status, 404, bad);
    }
    await ask(host, 'DELETE', `/bulk/exports/${id}`);
    assert.equal((await call(host, 'GET', `/bulk/exports/${id}/files`, { key: API_KEY })).status, 404);
    assert.equal(((await ask(host, 'GET', '/bulk/exports')) as { data: readonly unknown[] }).data.length, 1);
  });

  it('are complete for an index without records too', async () => {
    const host = await service.createIndex({ name: 'empty', ...KINDS.sparse });
    const { id, ...state } = await transferred(host, 'exports', { format: 'jsonl' });
    assert.deepEqual([state.status, state.recordsExported], ['Completed', 0]);
    assert.equal(((await ask(host, 'GET', `/bulk/exports/${id}/files`)) as unknown as Manifest).records, 0);
  });
});
