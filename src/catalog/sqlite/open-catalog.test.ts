// The embedded catalog: the conformance suite, durability, and clear errors for unusable files.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { Kysely } from 'kysely';
import { Fault } from '../../domain/faults.ts';
import { shareOfThisThread } from '../../platform/testing/processor-time.ts';
import { describeCatalog, SAMPLE_INDEX, seedProjects } from '../conformance/conformance-suite.ts';
import { catalogMigrations } from '../migrations.ts';
import { CatalogOpenError } from '../port.ts';
import { DatabaseThread } from './database-thread.ts';
import { openCatalog } from './open-catalog.ts';

const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'pinyon-catalog-'));

describeCatalog('SQLite', async () => {
  const folder = await newFolder();
  return {
    open: () => openCatalog({ path: join(folder, 'catalog.db') }),
    dispose: () => rm(folder, { recursive: true }),
  };
});

describe('SQLite catalog file', () => {
  let folder: string;
  let files = 0;
  const children: ChildProcess[] = [];

  before(async () => {
    folder = await newFolder();
  });

  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await rm(folder, { recursive: true });
  });

  function newPath(): string {
    files += 1;
    return join(folder, `${files}.db`);
  }

  /** Runs a module with `openCatalog`, `SAMPLE_INDEX`, `seedProjects` and `path` in scope; yields its lines. */
  function inChild(path: string, code: string): { child: ChildProcess; lines: AsyncIterator<string> } {
    const source = `
      const { openCatalog } = await import(${JSON.stringify(new URL('./open-catalog.ts', import.meta.url))});
      const { SAMPLE_INDEX, seedProjects } = await import(${JSON.stringify(new URL('../conformance/conformance-suite.ts', import.meta.url))});
      const path = ${JSON.stringify(path)};
      ${code}`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
  }

  function opensWith(problem: CatalogOpenError['problem'], text: RegExp) {
    return (error: unknown): boolean =>
      error instanceof CatalogOpenError && error.problem === problem && text.test(error.message);
  }

  test('keeps rows that were acknowledged before a kill -9', async () => {
    const path = newPath();
    const { child, lines } = inChild(
      path,
      `const catalog = await openCatalog({ path });
       await seedProjects(catalog);
       for (let at = 0; ; at += 1) {
         await catalog.indexes.insert({ ...SAMPLE_INDEX, id: 'i' + at, name: 'n' + at, port: null });
         process.stdout.write(at + '\\n');
       }`,
    );
    let acknowledged = -1;
    for (let seen = 0; seen < 50; seen += 1) acknowledged = Number((await lines.next()).value);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    for (let line = await lines.next(); !line.done; line = await lines.next())
      acknowledged = Number(line.value);
    await ended;

    assert.ok(acknowledged >= 49);

    const catalog = await openCatalog({ path });
    const ids = new Set((await catalog.indexes.list()).map((index) => index.id));
    await catalog.close();
    for (let at = 0; at <= acknowledged; at += 1) assert.ok(ids.has(`i${at}`), `row ${at} is lost`);
  });

  test('tells that its thread has died, once, and answers 503 from then on', async (context) => {
    const workers = new Set<Worker>();
    const post = Worker.prototype.postMessage;
    context.mock.method(
      Worker.prototype,
      'postMessage',
      function (this: Worker, ...given: Parameters<typeof post>) {
        workers.add(this);
        post.apply(this, given);
      },
    );
    const deaths: Error[] = [];
    const catalog = await openCatalog({ path: newPath(), onDeath: (error) => deaths.push(error) });
    const [worker] = workers;
    assert.ok(worker !== undefined);
    const isInterrupted = (error: unknown) => error instanceof Fault && error.condition === 'interrupted';
    const during = assert.rejects(catalog.settings.set('name', 'value'), isInterrupted);
    await worker.terminate();
    await during;
    await assert.rejects(catalog.settings.get('name'), isInterrupted);
    await catalog.close();
    assert.equal(deaths.length, 1);
  });

  test('tells of no death when it is closed, or cannot be opened', async () => {
    const path = newPath();
    const onDeath = () => assert.fail('it is told of');
    const catalog = await openCatalog({ path, onDeath });
    await assert.rejects(openCatalog({ path, onDeath }), opensWith('in-use', /in use/));
    await catalog.close();
  });

  test('refuses a second process on the same file at once and gives the reason', async () => {
    const path = newPath();
    const { child, lines } = inChild(
      path,
      `await openCatalog({ path }); process.stdout.write('open\\n'); setInterval(() => {}, 1000);`,
    );
    assert.equal((await lines.next()).value, 'open');
    await assert.rejects(openCatalog({ path }), opensWith('in-use', /in use by another process/));
    child.kill('SIGKILL');
    await once(child, 'exit');
    await (await openCatalog({ path })).close();
  });

  test('refuses a file that is not a database, and leaves it unchanged', async () => {
    const path = newPath();
    const text = 'these are not the pages of a database, but a text that is long enough to be looked at';
    await writeFile(path, text);
    await assert.rejects(openCatalog({ path }), opensWith('damaged', /damaged or no catalog/));
    assert.equal(await readFile(path, 'utf8'), text);
  });

  test('detects a damaged page when it opens', async () => {
    const path = newPath();
    const catalog = await openCatalog({ path });
    await seedProjects(catalog);
    await catalog.close();
    const bytes = await readFile(path);
    bytes.fill(0xff, 4096, 8 * 4096);
    await writeFile(path, bytes);
    await assert.rejects(openCatalog({ path }), opensWith('damaged', /damaged/));
  });

  test('names a missing folder in the error', async () => {
    const path = join(folder, 'missing', 'catalog.db');
    await assert.rejects(openCatalog({ path }), opensWith('unusable', /folder is missing or not writable/));
  });

  test('refuses a file of a newer release', async () => {
    const path = newPath();
    const current = await catalogMigrations.getMigrations();
    const newer = { ...current, '9999-future': { up: () => Promise.resolve() } };
    await (await openCatalog({ path, migrations: { getMigrations: () => Promise.resolve(newer) } })).close();
    await assert.rejects(openCatalog({ path }), opensWith('newer', /newer release/));
  });

  test('leaves nothing of a failed migration', async () => {
    const path = newPath();
    const up = async (db: Kysely<unknown>): Promise<void> => {
      await db.schema.createTable('settings').addColumn('name', 'text').execute();
      throw new Error('half way');
    };
    const migrations = { getMigrations: () => Promise.resolve({ '0001-foundation': { up } }) };
    await assert.rejects(openCatalog({ path, migrations }), opensWith('unusable', /half way/));
    const catalog = await openCatalog({ path });
    await catalog.settings.set('works', 'yes');
    await catalog.close();
  });

  test('reports a full disk as a fault, and writes again once there is space', async () => {
    const thread = await DatabaseThread.open(newPath());
    const query = (sql: string) => thread.query({ sql, parameters: [] });
    await query('create table piles (bytes blob)');
    await query('pragma max_page_count = 8');
    await query('begin immediate');
    await assert.rejects(
      query('insert into piles values (zeroblob(100000))'),
      (error) => error instanceof Fault && error.condition === 'storage-full',
    );
    await thread.rollback();
    await query('pragma max_page_count = 1000');
    assert.equal((await query('insert into piles values (zeroblob(100000))')).changes, 1n);
    await thread.close();
    await assert.rejects(query('select 1'), /closed/);
  });

  test('opens again after a stop and a kill that could not save the checksums of what they had written', async () => {
    const path = newPath();
    const unsaved = `${path}.sums.part`;
    for (const ending of ['stop', 'kill']) {
      const thread = await DatabaseThread.open(path);
      await thread.query({ sql: 'create table if not exists piles (bytes blob)', parameters: [] });
      await mkdir(unsaved);
      // Enough for a checkpoint, and then some for the log that it begins anew.
      for (let i = 0; i < 160; i++)
        await thread.query({ sql: 'insert into piles values (randomblob(60000))', parameters: [] });
      const copy = `${folder}/${ending}.db`;
      if (ending === 'stop') await thread.close().catch(() => undefined);
      for (const suffix of ['', '-wal', '.sums', '.log-end'])
        await cp(`${path}${suffix}`, `${copy}${suffix}`).catch(() => undefined);
      if (ending === 'kill') await thread.close().catch(() => undefined);
      await rmdir(unsaved);
      const again = await DatabaseThread.open(copy);
      const { rows } = await again.query({ sql: 'select count(*) as piles from piles', parameters: [] });
      assert.deepEqual(rows, [{ piles: ending === 'stop' ? 160 : 320 }]);
      await again.close();
    }
  });

  test('opens, and notices no damage, where checksums cannot be saved', async () => {
    const path = newPath();
    await (await openCatalog({ path })).close();
    await mkdir(`${path}.sums.part`);
    const catalog = await openCatalog({ path });
    await catalog.settings.set('works', 'yes');
    assert.notEqual(await catalog.pages?.(null), null);
    await catalog.close();
    await rmdir(`${path}.sums.part`);
    const again = await openCatalog({ path });
    assert.equal(await again.settings.get('works'), 'yes');
    await again.close();
  });

  test('keeps the main thread free while the database works', async () => {
    const thread = await DatabaseThread.open(newPath());
    const sql =
      'with recursive n(i) as (select 1 union all select i + 1 from n where i < 400000) select count(*) from n';
    const share = await shareOfThisThread(() => thread.query({ sql, parameters: [] }));
    await thread.close();
    assert.ok(share < 0.5, `${share} of the work was done on the main thread`);
  });

  test('waits for running transactions before closing', async () => {
    const path = newPath();
    const catalog = await openCatalog({ path });
    await seedProjects(catalog);
    const insert = catalog.indexes.insert(SAMPLE_INDEX);
    await catalog.close();
    await insert;
    const again = await openCatalog({ path });
    assert.equal((await again.indexes.list()).length, 1);
    await again.close();
  });
});
