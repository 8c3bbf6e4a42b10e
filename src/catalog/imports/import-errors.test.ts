// The errors of imports in the catalog.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { SAMPLE_INDEX, seedProjects } from '../conformance/conformance-suite.ts';
import type { Catalog } from '../port.ts';
import { openCatalog } from '../sqlite/open-catalog.ts';

let folder: string;
let catalog: Catalog;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pinyon-catalog-'));
  catalog = await openCatalog({ path: join(folder, 'catalog.sqlite') });
});
after(async () => {
  await catalog.close();
  rmSync(folder, { recursive: true });
});

const error = (row: number | null) => ({
  file: 'ns/a.parquet',
  row,
  id: row === 2 ? null : 'x',
  reason: `row ${row}`,
});

it('count once when stored twice under the same numbers, and read in order page by page', async () => {
  const { importErrors: errors } = catalog;
  const all = [...Array.from({ length: 250 }, (_, i) => error(i)), error(null)];
  await errors.put('one', 0, all.slice(0, 200));
  await errors.put('one', 150, all.slice(150));
  await errors.put('two', 0, [error(7)]);
  assert.deepEqual(await errors.list('one', { first: 0, limit: 1_000 }), all);
  assert.deepEqual(await errors.list('one', { first: 249, limit: 10 }), all.slice(249));
  assert.deepEqual(await errors.list('one', { first: 100, limit: 1 }), [error(100)]);
});

it('are deleted with their index, though its jobs are kept, and with their project', async () => {
  const { importErrors: errors, jobs, indexes } = catalog;
  await seedProjects(catalog);
  const count = async (id: string) => (await errors.list(id, { first: 0, limit: 10 })).length;
  const about = { kind: 'import', projectId: SAMPLE_INDEX.projectId, subject: null, input: {} };
  const createdAt = new Date(0).toISOString();
  const ids = [SAMPLE_INDEX.id, 'another'];
  for (const id of ids) {
    await indexes.insert({ ...SAMPLE_INDEX, id, name: id, port: null });
    await jobs.insert({ ...about, id: `into ${id}`, indexId: id, createdAt });
    await errors.put(`into ${id}`, 0, [error(1)]);
  }
  await indexes.retire(SAMPLE_INDEX.id, () => true);
  await indexes.delete(SAMPLE_INDEX.id);
  assert.deepEqual(await Promise.all(ids.map((id) => count(`into ${id}`))), [0, 1]);
  await errors.put('of a project that is gone', 0, [error(1)]);
  await catalog.administration.projects.purge();
  assert.equal(await count('of a project that is gone'), 0);
  assert.equal(await count('into another'), 1);
});

it('are deleted with their job', async () => {
  const { importErrors: errors, jobs } = catalog;
  await jobs.insert({
    id: 'kept',
    kind: 'import',
    projectId: 'p',
    indexId: null,
    subject: null,
    input: {},
    createdAt: new Date(0).toISOString(),
  });
  await errors.put('kept', 0, [error(1)]);
  await errors.put('gone', 0, [error(1)]);
  await errors.deleteOrphans();
  assert.equal((await errors.list('kept', { first: 0, limit: 10 })).length, 1);
  assert.equal((await errors.list('gone', { first: 0, limit: 10 })).length, 0);
});
