// A data directory that version 0.1.0 wrote: its records get checksums in the background, and those of its backups once
// they are restored.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { PageFile } from '../src/engine/embedded/storage/integrity/page-file.ts';
import { lacksSums } from '../src/engine/embedded/storage/integrity/record-sums.ts';
import { TolerantReader } from '../src/engine/embedded/storage/integrity/tolerant-reader.ts';
import { call } from './support/call.ts';
import { hostsOf } from './support/recorded-answers.ts';
import { API_KEY, newService } from './support/service.ts';
import { unpackTar } from './support/unpack-tar.ts';
import { until } from './support/until.ts';

const FIXTURE = new URL('./fixtures/data-dir-0.1.0.tar.br', import.meta.url);
const ENVIRONMENT = {
  PINYON_PUBLIC_DOMAIN: 'data.example.org',
  PINYON_PUBLIC_PORT: '443',
  PINYON_LOG_LEVEL: 'info',
  PINYON_LOG_FORMAT: 'json',
};

interface Upgraded {
  readonly indexId: string;
  readonly records: number;
}

test('gives the records of 0.1.0 checksums once, also those that a backup of 0.1.0 brings', async () => {
  const service = await newService();
  try {
    unpackTar(brotliDecompressSync(readFileSync(FIXTURE)), dirname(service.dataDir));
    await service.start({ env: ENVIRONMENT });
    const { data } = (await service.call('GET', '/backups')).body as {
      readonly data: readonly { readonly backup_id: string }[];
    };
    const path = `/backups/${data[0]?.backup_id}/create-index`;
    assert.equal((await service.call('POST', path, { body: { name: 'again' } })).status, 202);
    await until(async () => {
      const { body } = await service.call('GET', '/indexes/again');
      return (body as { readonly status: { readonly ready: boolean } }).status.ready;
    });
    const filled: string[] = [];
    for (const [name, host] of await hostsOf(service.url, API_KEY)) {
      const options = { key: API_KEY, headers: { host }, body: {} };
      const { body } = await call(service.url, 'POST', '/describe_index_stats', options);
      if ((body as { readonly totalVectorCount?: number }).totalVectorCount) filled.push(name);
    }
    assert.ok(filled.includes('again') && filled.includes('large'));
    await until(() => upgradedIn(service.process.log).length >= filled.length, 'the upgrade');
    const log = upgradedIn(service.process.log);
    await service.stop();
    for (const { indexId, records } of log)
      assert.deepEqual(sumsOf(join(service.dataDir, 'indexes', indexId)), { records, lacking: 0 });

    await service.start({ env: ENVIRONMENT });
    const body = { namespace: 'arc', vector: [0.5, 0.5, 0, 0, 0.5, 0, 0, 0], topK: 3 };
    const host = (await hostsOf(service.url, API_KEY)).get('large') ?? '';
    const answer = await call(service.url, 'POST', '/query', { key: API_KEY, headers: { host }, body });
    assert.equal((answer.body as { readonly matches: readonly unknown[] }).matches.length, 3);
    const known = new Set(log.map(({ indexId }) => indexId));
    assert.deepEqual(
      upgradedIn(service.process.log).filter(({ indexId }) => known.has(indexId)),
      [],
    );
  } finally {
    await service.dispose();
  }
});

function upgradedIn(log: string): readonly Upgraded[] {
  return log
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}') && line.includes('have got their checksums'))
    .map((line) => JSON.parse(line) as Upgraded);
}

function sumsOf(folder: string): { readonly records: number; readonly lacking: number } {
  const file = PageFile.open(join(folder, 'records.mdb'));
  try {
    const reader = new TolerantReader(file, { sums: null, onDamage: (what) => assert.fail(what) });
    const values = [...reader.entries('records')].map(({ value }) => value);
    const hasRows = existsSync(join(folder, 'rows.f32'));
    return { records: values.length, lacking: values.filter((value) => lacksSums(value, hasRows)).length };
  } finally {
    file.close();
  }
}
