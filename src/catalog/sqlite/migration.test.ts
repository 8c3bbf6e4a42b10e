// Opens a data directory of an earlier release: what worked before the migration works after it.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { MigrationProvider } from 'kysely/migration';
import { catalogMigrations } from '../migrations.ts';
import { DatabaseThread } from './database-thread.ts';
import { logEndPath } from './log-end.ts';
import { openCatalog } from './open-catalog.ts';
import { sumsPath } from './page-sums.ts';

/** The schema of the first release, with its rows. */
const FIRST = ['0001-foundation'];
const ROWS = [
  "insert into organizations values ('org', 'default', '2026-01-01T00:00:00.000Z')",
  "insert into projects values ('project', 'org', 'default', '2026-01-01T00:00:00.000Z')",
  "insert into api_keys values ('key', 'project', 'default', 'aa', '2026-01-01T00:00:00.000Z')",
  `insert into indexes values ('index', 'project', 'books', 'dense', 'cosine', 3, '{}', 'Ready', 'disabled', '{}', 5081,
    '2026-01-01T00:00:00.000Z')`,
];

test('keeps the rights of keys, and the fields of projects and indexes, of the first release', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pinyon-migration-'));
  const path = join(folder, 'catalog.db');
  const all = await catalogMigrations.getMigrations();
  const first = Object.fromEntries(Object.entries(all).filter(([name]) => FIRST.includes(name)));
  await (await openCatalog({ path, migrations: { getMigrations: () => Promise.resolve(first) } })).close();
  const thread = await DatabaseThread.open(path);
  for (const sql of ROWS) await thread.query({ sql, parameters: [] });
  await thread.close();

  const told: string[] = [];
  const onMigrated = (names: readonly string[]) => told.push(...names);
  const catalog = await openCatalog({ path, onMigrated });
  assert.deepEqual(
    told,
    Object.keys(all)
      .filter((name) => !FIRST.includes(name))
      .sort(),
  );
  const { administration } = catalog;
  assert.deepEqual(await administration.projects.list('org'), [
    {
      id: 'project',
      organizationId: 'org',
      name: 'default',
      maxPods: 0,
      forceEncryptionWithCmek: false,
      createdAt: '2026-01-01T00:00:00.000Z',
    },
  ]);
  const key = await administration.apiKeys.find({ organizationId: 'org', id: 'key' });
  assert.deepEqual(key?.roles, ['ProjectEditor']);
  const { keys, bindings } = await administration.access.snapshot();
  assert.deepEqual(keys, [{ id: 'key', projectId: 'project', sha256: 'aa' }]);
  assert.match(bindings[0]?.id ?? '', /^[0-9a-f-]{36}$/);
  assert.equal((await catalog.indexes.list())[0]?.name, 'books');
  await catalog.close();
  await rm(folder, { recursive: true });
});

/** A catalog as the first release has left it, with nothing beside the file. */
async function firstRelease(folder: string): Promise<string> {
  const path = join(folder, 'catalog.sqlite');
  const all = Object.entries(await catalogMigrations.getMigrations());
  const first = Object.fromEntries(all.filter(([name]) => FIRST.includes(name)));
  await (await openCatalog({ path, migrations: { getMigrations: () => Promise.resolve(first) } })).close();
  for (const beside of besideOf(path)) await rm(beside, { force: true });
  return path;
}

const besideOf = (path: string) => [sumsPath(path), logEndPath(path)];
const arePresent = (path: string) => besideOf(path).map((beside) => existsSync(beside));
const failing: MigrationProvider = {
  getMigrations: async () => ({
    ...(await catalogMigrations.getMigrations()),
    '9999-last': { up: () => Promise.reject(new Error('not today')) },
  }),
};

test('opens a catalog to which an earlier release has returned after a first start that was interrupted', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pinyon-migration-'));
  const path = await firstRelease(folder);
  const killed = await DatabaseThread.open(path);
  assert.deepEqual(arePresent(path), [false, false], 'before its end');
  await killed.close();
  await assert.rejects(openCatalog({ path, migrations: failing }), /not today/);
  assert.deepEqual(arePresent(path), [false, false], 'after its failure');
  const earlier = new DatabaseSync(path);
  for (const sql of ROWS) earlier.exec(sql);
  earlier.close();
  const catalog = await openCatalog({ path });
  assert.equal((await catalog.indexes.list())[0]?.name, 'books');
  assert.deepEqual(arePresent(path), [true, true]);
  await catalog.close();
  await rm(folder, { recursive: true });
});

test('keeps what protects a catalog while it is migrated, and after a migration that failed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pinyon-migration-'));
  const path = join(folder, 'catalog.sqlite');
  await (await openCatalog({ path })).close();
  await assert.rejects(openCatalog({ path, migrations: failing }), /not today/);
  assert.deepEqual(arePresent(path), [true, true]);
  await (await openCatalog({ path })).close();
  const other = new DatabaseSync(path);
  other.exec("update organizations set name = 'other'; create table others (id integer)");
  other.close();
  await assert.rejects(openCatalog({ path, migrations: failing }), /checksum/);
  await rm(folder, { recursive: true });
});

test('tells of no migration when the catalog is new', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pinyon-migration-'));
  const told: string[] = [];
  const onMigrated = (names: readonly string[]) => told.push(...names);
  const catalog = await openCatalog({ path: join(folder, 'catalog.db'), onMigrated });
  await catalog.close();
  await rm(folder, { recursive: true });
  assert.deepEqual(told, []);
});
