// Starts that cannot succeed end with a reason a person can act on; a port taken by another is not one of them.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { call } from './support/call.ts';
import { listen } from './support/port-range.ts';
import { API_KEY, type Service, startService } from './support/service.ts';

type Environment = Readonly<Record<string, string>>;

describe('a start of the server', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.dispose());

  async function failure(env: Environment): Promise<{ readonly code: number | null; readonly log: string }> {
    const run = service.run({ env });
    const { code } = await run.ended();
    assert.equal(run.printed, '', 'a failed start says nothing on standard output');
    return { code, log: run.log };
  }

  it('fails with 1 on a data directory in use by another server, which keeps running', async () => {
    const { code, log } = await failure({});
    assert.equal(code, 1);
    assert.match(log, /^Pinyon cannot start: .* is in use by another process/);
    assert.equal((await service.call('GET', '/indexes')).status, 200);
  });

  it('fails with 1 on a data directory that cannot be created or written', async () => {
    const file = join(service.dataDir, '..', 'a-file');
    writeFileSync(file, '');
    for (const path of [join(file, 'data'), file]) {
      const { code, log } = await failure({ PINYON_DATA_DIR: path });
      assert.equal(code, 1, path);
      assert.match(log, /^Pinyon cannot start: the data directory .* cannot be (used|written) \(E[A-Z]+\)/);
      assert.match(log, /Set PINYON_DATA_DIR/);
    }
    rmSync(file);
  });

  it('fails with 1 on a corrupt catalog and leaves it unchanged', async () => {
    const path = join(service.dataDir, '..', 'damaged');
    mkdirSync(path);
    writeFileSync(join(path, 'catalog.sqlite'), 'this is no database, '.repeat(100));
    const { code, log } = await failure({ PINYON_DATA_DIR: path });
    assert.equal(code, 1);
    assert.match(log, /^Pinyon cannot start: .* is damaged or no catalog/);
  });

  it('fails with 1 on a catalog that a newer release has migrated', async () => {
    const folder = join(service.dataDir, '..', 'newer');
    mkdirSync(folder);
    const path = join(folder, 'catalog.sqlite');
    const newer = new DatabaseSync(path);
    newer.exec('CREATE TABLE kysely_migration (name TEXT PRIMARY KEY, timestamp TEXT NOT NULL)');
    newer.exec("INSERT INTO kysely_migration VALUES ('9999-future', '2030-01-01T00:00:00.000Z')");
    newer.close();
    const { code, log } = await failure({ PINYON_DATA_DIR: folder });
    assert.equal(code, 1);
    assert.match(
      log,
      /^Pinyon cannot start: \S+ was written by a newer release of the server .*start that one, or restore the copy from before the upgrade\.\n$/,
    );
  });

  it('fails with 1 when the base port is in use, naming the setting', async () => {
    const { last } = service.ports;
    const other = await listen(last);
    assert.ok(other !== undefined);
    const { first } = service.ports;
    const { code, log } = await failure({
      PINYON_DATA_DIR: join(service.dataDir, '..', 'second'),
      PINYON_PORT: String(last),
      PINYON_INDEX_PORTS: `${first}-${last - 1}`,
    });
    other.close();
    assert.equal(code, 1);
    assert.match(log, new RegExp(`another process listens on port ${last} .*PINYON_PORT`));
  });

  it('fails with 2 on wrong settings, naming every one of them', async () => {
    const { code, log } = await failure({
      PINYON_PORT: 'many',
      PINYON_API_KEY: 'x',
      PINYON_INDEX_PORTS: '9-1',
    });
    assert.equal(code, 2);
    for (const name of ['PINYON_PORT', 'PINYON_API_KEY', 'PINYON_INDEX_PORTS']) {
      assert.match(log, new RegExp(`^ {2}${name} must be`, 'm'));
    }
    assert.ok(!log.includes('many'), 'values are not repeated: one may be a key');
  });

  it('gives an index another port of the range when the next one is in use', async () => {
    const takenPorts = [0, 1, 2].map((offset) => service.ports.first + offset);
    const others = await Promise.all(takenPorts.map(listen));
    const host = await service.createIndex({ name: 'elsewhere', dimension: 2 });
    for (const other of others) other?.close();
    assert.ok(!takenPorts.includes(Number(new URL(host).port)), host);
    const stats = await call(host, 'POST', '/describe_index_stats', { key: API_KEY, body: {} });
    assert.equal(stats.status, 200);
  });

  it('fails with 1 when another process uses the port of an index', async () => {
    const host = await service.createIndex({ name: 'known', dimension: 2 });
    const port = Number(new URL(host).port);
    await service.stop();
    const other = await listen(port);
    const { code, log } = await failure({});
    other?.close();
    assert.equal(code, 1);
    assert.match(log, new RegExp(`ports of this server's indexes: ${port} \\(index known\\)`));
    await service.start();
    const stats = await call(host, 'POST', '/describe_index_stats', { key: API_KEY, body: {} });
    assert.equal(stats.status, 200);
  });
});
