// The service with its catalog on a real PostgreSQL: restarts, kills, moves of the catalog, wrong combinations.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Connection } from '../support/connection.ts';
import { runCli } from '../support/run-cli.ts';
import { newService, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';
import { type RealPostgres, startPostgres, whyNotHere } from './server.ts';

const reason = whyNotHere();
if (reason === null) {
  const server = await startPostgres();
  describe('the service with its catalog on PostgreSQL', () => {
    after(() => server.stop());
    describeLife(server);
    describeMoves(server);
  });
} else {
  process.stdout.write(`SKIPPED: no PostgreSQL can be run here: ${reason}\n`);
}

const RECORDS = Array.from({ length: 20 }, (_, at) => ({ id: `r${at}`, values: [at, 1, 2] }));

async function fill(service: Service): Promise<void> {
  const host = await service.createIndex({ name: 'notes', dimension: 3, metric: 'euclidean' });
  const connection = new Connection(host);
  await connection.upsert('', RECORDS);
  connection.close();
}

/** Writes the records again. */
async function write(service: Service): Promise<void> {
  const { body } = await service.call('GET', '/indexes/notes');
  const connection = new Connection((body as { readonly host: string }).host);
  await connection.upsert('', RECORDS);
  connection.close();
}

async function readable(service: Service): Promise<number> {
  const { body } = await service.call('GET', '/indexes/notes');
  const connection = new Connection((body as { readonly host: string }).host);
  const ids = await connection.listIds('');
  connection.close();
  return ids.length;
}

/** Starts the program, which must not start, and returns its last words. */
async function refused(service: Service, env: Readonly<Record<string, string>>): Promise<string> {
  const run = service.run({ env });
  const { code } = await run.ended();
  assert.equal(code, 1, run.log);
  return run.log;
}

function describeLife(server: RealPostgres): void {
  describe('lives', () => {
    let service: Service;
    let env: Readonly<Record<string, string>>;

    before(async () => {
      env = { PINYON_DATABASE_URL: await server.newDatabase() };
      service = await newService();
      await service.start({ env });
      await fill(service);
    });
    after(() => service.dispose());

    it('keeps its state over a stop and a kill', async () => {
      await service.restart({ env });
      assert.equal(await readable(service), RECORDS.length);
      await service.kill();
      await service.start({ env });
      assert.equal(await readable(service), RECORDS.length);
      assert.equal(existsSync(join(service.dataDir, 'catalog.sqlite')), false);
    });

    it('reads and writes records while the database is gone, answers 503 to changes, and recovers by itself', async () => {
      await server.kill();
      await write(service);
      assert.equal(await readable(service), RECORDS.length);
      const body = {
        name: 'more',
        dimension: 3,
        spec: { serverless: { cloud: 'aws', region: 'us-east-1' } },
      };
      const answer = await service.call('POST', '/indexes', { body });
      assert.equal(answer.status, 503, answer.text);
      assert.match(answer.text, /database does not work at present: it cannot be reached/);
      await server.start();
      await until(async () => (await service.call('POST', '/indexes', { body })).status === 201);
    });

    it('makes backups and restores them', async () => {
      const made = await service.call('POST', '/indexes/notes/backups', { body: { name: 'kept' } });
      assert.ok(made.status < 300, made.text);
      const { backup_id: id } = made.body as { readonly backup_id: string };
      await until(async () => (await service.call('GET', `/backups/${id}`)).text.includes('"Ready"'));
      const restored = await service.call('POST', `/backups/${id}/create-index`, { body: { name: 'again' } });
      assert.ok(restored.status < 300, restored.text);
      await until(async () => (await service.call('GET', '/indexes/again')).text.includes('"Ready"'));
    });

    it('refuses a second server, whatever its data directory', async () => {
      const other = await newService();
      const words = await refused(other, env);
      assert.match(words, /in use by another node.*one node at a time/);
      await other.dispose();
    });

    it('checks the data directory of a stopped server', async () => {
      await service.stop();
      const checked = await runCli(['check'], { PINYON_DATA_DIR: service.dataDir, ...env });
      assert.equal(checked.code, 0, checked.out + checked.err);
      assert.match(checked.out, /notes/);
      const without = await runCli(['check'], { PINYON_DATA_DIR: service.dataDir });
      assert.match(without.err, /is on PostgreSQL/);
      const reset = await runCli(['admin', 'reset-credentials'], {
        PINYON_DATA_DIR: service.dataDir,
        ...env,
      });
      assert.match(reset.out, /New credentials/);
    });

    it('refuses a directory and a catalog that do not belong together', async () => {
      assert.match(await refused(service, {}), /catalog of .* is on PostgreSQL/);
      const other = await newService();
      assert.match(await refused(other, env), /belongs to another data directory/);
      await other.dispose();
      const fresh = { PINYON_DATABASE_URL: await server.newDatabase() };
      await service.start({ env });
      await service.stop();
      // An empty database is no danger to anybody, but it is not this directory's.
      assert.match(
        await refused(service, { PINYON_DATABASE_URL: `${fresh.PINYON_DATABASE_URL}_no` }),
        /no such/,
      );
    });
  });
}

function describeMoves(server: RealPostgres): void {
  it('copies a catalog to PostgreSQL and back, with everything in it', async () => {
    const service = await newService();
    const env = { PINYON_DATABASE_URL: await server.newDatabase() };
    const cli = (...words: string[]) => runCli(words, { PINYON_DATA_DIR: service.dataDir, ...env });
    await service.start();
    await fill(service);
    const busy = await cli('catalog', 'copy', '--to', 'postgres');
    assert.match(busy.err, /in use by another process/);
    await service.stop();
    assert.match(await refused(service, env), /has a catalog of its own, catalog\.sqlite/);

    const there = await cli('catalog', 'copy', '--to', 'postgres');
    assert.equal(there.code, 0, there.err);
    assert.match(there.out, /Copied [1-9]\d* rows of \d+ tables; counts and contents are the same/);
    assert.match(await refused(service, {}), /is on PostgreSQL/);
    await service.start({ env });
    assert.equal(await readable(service), RECORDS.length);
    const running = await cli('catalog', 'copy', '--to', 'sqlite');
    assert.match(running.err, /in use by another node/);
    await service.stop();

    const back = await cli('catalog', 'copy', '--to', 'sqlite');
    assert.equal(back.code, 0, back.err);
    await service.start();
    assert.equal(await readable(service), RECORDS.length);
    await service.stop();
    const taken = await cli('catalog', 'copy', '--to', 'postgres');
    assert.match(taken.err, /the target has a catalog already.*drop schema pinyon cascade/);
    await service.start();
    assert.equal(await readable(service), RECORDS.length);
    await service.dispose();
  });
}
