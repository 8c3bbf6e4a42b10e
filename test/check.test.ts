// pinyon check and repair on a stopped server: what is damaged is told by namespace and id, saved or restored, and indexes
// without a catalog come back.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Connection } from './support/connection.ts';
import { runCli } from './support/run-cli.ts';
import { newService, type Service } from './support/service.ts';
import { until } from './support/until.ts';

const DIMENSION = 4;
const RECORDS = 300;
const ROW_BYTES = 4 * DIMENSION;

describe('pinyon check and repair', () => {
  let service: Service;
  before(async () => {
    service = await newService();
    await service.start();
    const connection = await connect();
    for (const namespace of ['', 'second'])
      for (let first = 0; first < RECORDS; first += 100)
        await connection.upsert(
          namespace,
          Array.from({ length: 100 }, (_, i) => ({ id: `r${first + i}`, values: valuesOf(first + i) })),
        );
    connection.close();
    const backup = await service.call('POST', '/indexes/notes/backups', { body: { name: 'kept' } });
    assert.ok(backup.status < 300, backup.text);
    await until(async () => (await service.call('GET', '/backups')).text.includes('"Ready"'));
    await service.stop();
  });
  after(() => service.dispose());

  async function connect(): Promise<Connection> {
    const answer = await service.call('GET', '/indexes/notes');
    if (answer.status === 200) return new Connection((answer.body as { host: string }).host);
    const body = { name: 'notes', dimension: DIMENSION, metric: 'euclidean' };
    return new Connection(await service.createIndex(body));
  }
  const cli = (...words: string[]) => runCli(words, { PINYON_DATA_DIR: service.dataDir });
  const folder = () => {
    const [id = ''] = readdirSync(join(service.dataDir, 'indexes'));
    return join(service.dataDir, 'indexes', id);
  };
  const change = (name: string, how: (bytes: Buffer) => void) => {
    const path = join(folder(), name);
    const bytes = readFileSync(path);
    how(bytes);
    writeFileSync(path, bytes);
  };
  /** Starts the server, and counts the records of both namespaces that can be fetched as they were. */
  async function readable(): Promise<number> {
    await service.start();
    const connection = await connect();
    try {
      let found = 0;
      for (const namespace of ['', 'second'])
        for (let first = 0; first < RECORDS; first += 50) {
          const ids = Array.from({ length: 50 }, (_, i) => `r${first + i}`);
          for (const [id, { values }] of await connection.fetch(namespace, ids)) {
            assert.deepEqual(values, valuesOf(Number(id.slice(1))));
            found++;
          }
        }
      return found;
    } finally {
      connection.close();
      await service.stop();
    }
  }

  it('finds nothing in a whole directory, changes nothing, and ends with 0', async () => {
    const listed = () => readdirSync(service.dataDir, { recursive: true, encoding: 'utf8' }).sort();
    const before = listed();
    const { code, out } = await cli('check');
    assert.match(out, /catalog: whole\nindex notes \(project default\): whole, 600 whole records/);
    assert.match(out, /backup kept of index notes: whole\n\nEverything is whole\./);
    assert.equal(code, 0);
    assert.deepEqual(listed(), before);
    const json = JSON.parse((await cli('check', '--json')).out) as { is_whole: boolean };
    assert.equal(json.is_whole, true);
  });

  it('refuses to work beside a running server', async () => {
    await service.start();
    const { code, err } = await cli('check');
    assert.equal(code, 1);
    assert.match(err, /in use by a server\. Stop it first, or check its indexes with pinyon check --online/);
    assert.equal((await cli('repair', 'notes', '--yes')).code, 1);
    await service.stop();
  });

  it('tells lost vectors by namespace and id, and saves the rest only after a yes', async () => {
    change('rows.f32', (bytes) => bytes.fill(0, 100 * ROW_BYTES, 102 * ROW_BYTES));
    const { code, out } = await cli('check');
    assert.equal(code, 1);
    assert.match(out, /index notes \(project default\): DAMAGED, 598 whole records/);
    assert.match(out, /rows\.f32: row 100 does not have its checksum/);
    assert.match(out, /namespace '': 2 of 300 records lost: "r100", "r101"/);
    assert.match(out, /Next: pinyon repair notes\./);
    const refused = await cli('repair', 'notes');
    assert.equal(refused.code, 1);
    assert.match(refused.err, /Repair saves 598 records and gives up 2 lost records/);
    assert.match(refused.err, /Give --yes to carry it out\. Nothing was changed\./);
    const { code: done, out: told } = await cli('repair', 'notes', '--yes');
    assert.match(
      told,
      /Index notes is repaired: 598 records saved, 2 lost\. The damaged files are in .*damaged/,
    );
    assert.equal(done, 0);
    assert.equal((await cli('check')).code, 0);
    assert.equal(await readable(), 598);
  });

  it('restores the last backup of a damaged index', async () => {
    change('records.mdb', (bytes) => bytes.fill(0, 8_192));
    const { code, out, err } = await cli('repair', 'notes', '--from-backup', '--yes');
    assert.match(
      err,
      /Repair puts backup .* with 600 records, in place of the index\. Writes since then are lost\./,
    );
    assert.match(out, /Index notes is restored from backup .*: 600 records/);
    assert.equal(code, 0);
    assert.equal(await readable(), 600);
  });

  it('tells damaged backups', async () => {
    const [archive = ''] = readdirSync(join(service.dataDir, 'blobs', 'archives'));
    const path = join(service.dataDir, 'blobs', 'archives', archive, 'part-000000');
    const whole = readFileSync(path);
    const bytes = Buffer.from(whole);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    const { code, out } = await cli('check');
    assert.equal(code, 1);
    assert.match(out, /backup kept of index notes: DAMAGED/);
    writeFileSync(path, whole);
  });

  it('brings indexes back into a new catalog', async () => {
    for (const name of ['catalog.sqlite', 'catalog.sums']) rmSync(join(service.dataDir, name));
    await assert.rejects(service.start(), /pinyon check --adopt/);
    const { code, out } = await cli('check');
    assert.equal(code, 1);
    assert.match(out, /ORPHANED: index notes \(project default\), whole/);
    const adopted = await cli('check', '--adopt');
    assert.match(adopted.out, /adopted: index notes \(project default\)/);
    assert.match(adopted.out, /adopted: backup \S+ of index notes, 600 records/);
    assert.equal(adopted.code, 0);
    assert.equal(await readable(), 600);
    const checked = await cli('check');
    assert.equal(checked.code, 0);
    assert.match(checked.out, /backup kept of index notes: whole/);
  });
});

function valuesOf(number: number): number[] {
  return Array.from({ length: DIMENSION }, (_, i) => number + i / 4);
}
