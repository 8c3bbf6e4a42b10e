// pinyon repair, where it is interrupted or ends early: the index is as it was, or another repair saves its records.
import assert from 'node:assert/strict';
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { mock, type TestContext, test } from 'node:test';
import { NEW_INDEX } from '../../app/indexes/testing/control-plane.ts';
import { seedProjects } from '../../catalog/conformance/conformance-suite.ts';
import { openCatalog } from '../../catalog/sqlite/open-catalog.ts';
import { runLine } from '../../cli/line/run-line.ts';
import { COMMAND_GROUPS } from '../../cli/table/command-table.ts';
import { silentIo } from '../../cli/testing/fake-server.ts';
import { type Index, profileOf } from '../../domain/index-model.ts';
import { openInProcess } from '../../engine/embedded/in-process-index.ts';
import { indexFolder } from '../../engine/embedded/storage/index-files.ts';
import { tempFolder } from '../../engine/embedded/testing/temp-folder.ts';
import { repair } from './repair-command.ts';

const ID = 'index-1';
const RECORDS = 1_200;
const ROW_BYTES = 12;
const INDEX: Index = {
  ...{ ...NEW_INDEX, id: ID, projectId: 'project-1', state: 'Ready', port: null },
  createdAt: '2026-06-01T00:00:00.000Z',
};

/** A data directory with an index two of whose records are lost. */
async function damagedDirectory(test: TestContext) {
  const dataDir = tempFolder(test);
  const catalog = await openCatalog({ path: join(dataDir, 'catalog.sqlite') });
  await seedProjects(catalog);
  await catalog.indexes.insert(INDEX);
  await catalog.close();
  const folder = indexFolder(dataDir, ID);
  const index = openInProcess(profileOf(INDEX), folder);
  const values = Float32Array.of(1, 2, 3);
  const records = Array.from({ length: RECORDS }, (_, i) => ({
    ...{ id: `r${i}`, values, sparse: null, metadataJson: null },
  }));
  await index.writer.upsert('', records);
  await index.close();
  const path = join(folder, 'rows.f32');
  writeFileSync(path, readFileSync(path).fill(0, 100 * ROW_BYTES, 102 * ROW_BYTES));
  return { dataDir, folder };
}

/** Runs `pinyon repair`. @param onText what is told on the way */
async function repaired(dataDir: string, onText: (text: string, stop: () => void) => void = () => undefined) {
  const stop = new AbortController();
  const err: string[] = [];
  const out: string[] = [];
  const io = silentIo({
    environment: { PINYON_DATA_DIR: dataDir },
    signal: stop.signal,
    out: (text) => out.push(text),
    err: (text) => {
      err.push(text);
      onText(text, () => stop.abort(new Error('interrupted')));
    },
  });
  const program = { groups: COMMAND_GROUPS, version: '1.0.0', runs: { repair } };
  const code = await runLine(['repair', INDEX.name, '--yes'], program, io);
  return { code, out: out.join(''), err: err.join('') };
}

/** Lets moves fail whose target is that of the index, at most `count` of them. */
function refuseMoves(test: TestContext, target: string, count: number) {
  const original = fs.renameSync;
  let left = count;
  const mocked = mock.method(fs, 'renameSync', (from: string, to: string) => {
    if (to !== target || left-- <= 0) return original(from, to);
    throw Object.assign(new Error(`EIO: i/o error, rename '${from}'`), { code: 'EIO', path: from });
  });
  syncBuiltinESMExports();
  test.after(() => {
    mocked.mock.restore();
    syncBuiltinESMExports();
  });
}

for (const [when, pattern] of [
  ['checks the index', /^Check/],
  ['saves records', /records saved/],
] as const)
  test(`an interrupt while it ${when} leaves the index as it was`, async (context) => {
    const { dataDir, folder } = await damagedDirectory(context);
    const before = readFileSync(join(folder, 'records.mdb'));
    const { code } = await repaired(dataDir, (text, stop) => {
      if (pattern.test(text)) stop();
    });
    assert.equal(code, 130);
    assert.equal(existsSync(join(dataDir, 'damaged')), false);
    assert.equal(existsSync(join(dataDir, 'imports', ID)), false);
    assert.deepEqual(readFileSync(join(folder, 'records.mdb')), before);
    const again = await repaired(dataDir);
    assert.equal(again.code, 0, again.err);
    assert.match(again.out, /1,?198 records saved, 2 lost/);
  });

test('an interrupt after the repair says that the index is repaired', async (context) => {
  const { dataDir } = await damagedDirectory(context);
  let hasSaved = false;
  const { code, err } = await repaired(dataDir, (text, stop) => {
    hasSaved ||= /records saved/.test(text);
    if (hasSaved && /^Check/.test(text)) stop();
  });
  assert.equal(code, 130);
  assert.match(err, /Index books is repaired/);
});

for (const [how, refused] of [
  ['cannot put the new files in place', 1],
  ['is killed before it has put the new files in place', 2],
] as const)
  test(`a repair that ${how} loses nothing, and the next one saves the records`, async (context) => {
    const { dataDir, folder } = await damagedDirectory(context);
    refuseMoves(context, folder, refused);
    const { code, err } = await repaired(dataDir);
    assert.equal(code, 1, err);
    assert.equal(existsSync(folder), refused === 1);
    const again = await repaired(dataDir);
    assert.equal(again.code, 0, again.err);
    assert.match(again.out, /1,?198 records saved, 2 lost/);
    assert.deepEqual(readdirSync(join(dataDir, 'damaged')), [`${ID}-1`]);
    const third = await repaired(dataDir);
    assert.match(third.out, /is whole/);
  });

test('names the files that an earlier repair put aside where an index has none, and removes nothing', async (context) => {
  const { dataDir, folder } = await damagedDirectory(context);
  const aside = join(dataDir, 'damaged', `${ID}-10`);
  const saved = join(dataDir, 'imports', ID);
  for (const path of [join(dataDir, 'damaged', `${ID}-9`), saved]) mkdirSync(path, { recursive: true });
  renameSync(folder, aside);
  const { code, err } = await repaired(dataDir);
  assert.equal(code, 1);
  assert.ok(err.includes(`${aside} to ${folder}`), err);
  assert.ok(existsSync(saved));
  renameSync(aside, folder);
  assert.equal((await repaired(dataDir)).code, 0);
});
