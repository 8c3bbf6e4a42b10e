// Proves that the data directory is created wherever its path leads, the default beside the caller included.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { assertNotOrphaned, prepareDataDir } from './data-dir.ts';
import { openConfiguredBlobs } from './open-configured-blobs.ts';
import { readSettings } from './read-settings.ts';
import { StartProblem } from './start-problems.ts';

describe('the data directory', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'pinyon-data-dir-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const OWNER_ONLY = 0o700;
  const paths: Readonly<Record<string, (name: string) => string>> = {
    absolute: (name) => join(folder, name),
    'relative, as the default is': (name) => `./${relative(process.cwd(), join(folder, name))}`,
    'with a slash at its end': (name) => `${join(folder, name)}/`,
    'two folders deep': (name) => join(folder, name, 'inner'),
  };
  for (const [kind, pathOf] of Object.entries(paths)) {
    it(`is created for its owner alone, and used when it is there: a path ${kind}`, async () => {
      const path = pathOf(kind.length.toString());
      await prepareDataDir(path);
      await prepareDataDir(path);
      assert.equal(statSync(path).mode & 0o777, OWNER_ONLY);
    });
  }

  const check = (dataDir: string, environment: Readonly<Record<string, string>> = {}): Promise<void> => {
    const settings = readSettings({ PINYON_DATA_DIR: dataDir, ...environment });
    return assertNotOrphaned(settings, () => openConfiguredBlobs(settings));
  };
  const isRefused = (error: unknown) => error instanceof StartProblem && /--adopt/.test(error.message);

  for (const name of ['indexes', 'blobs/archives', 'blobs/assistants', 'blobs/descriptions']) {
    it(`is not taken for a new one when the catalog beside its ${name} is missing or empty`, async () => {
      const path = mkdtempSync(join(folder, 'lost-'));
      mkdirSync(join(path, name), { recursive: true });
      // As of a volume that has just been made.
      mkdirSync(join(path, name, 'lost+found'));
      await check(path);
      writeFileSync(join(path, name, 'one'), '');
      await assert.rejects(check(path), isRefused);
      writeFileSync(join(path, 'catalog.sqlite'), '');
      await assert.rejects(check(path), isRefused);
      writeFileSync(join(path, 'catalog.sqlite'), 'content');
      await check(path);
    });
  }

  it('is not taken for a new one when a lost catalog has left files elsewhere, unless it shares them', async () => {
    const path = mkdtempSync(join(folder, 'lost-'));
    const elsewhere = { PINYON_BLOBS: join(folder, 'elsewhere') };
    mkdirSync(join(elsewhere.PINYON_BLOBS, 'uploads'), { recursive: true });
    writeFileSync(join(elsewhere.PINYON_BLOBS, 'uploads', 'one'), '');
    await check(path, elsewhere);
    mkdirSync(join(elsewhere.PINYON_BLOBS, 'assistants', 'a'), { recursive: true });
    writeFileSync(join(elsewhere.PINYON_BLOBS, 'assistants', 'a', 'one'), '');
    await assert.rejects(check(path, elsewhere), isRefused);
    await check(path, { ...elsewhere, PINYON_DATABASE_URL: 'postgres://db.example.org/pinyon' });
  });

  it('is refused while a recovery into it has not ended, and is used once its catalog is in place', async () => {
    const path = mkdtempSync(join(folder, 'recovering-'));
    const kept = join(path, 'recovering');
    mkdirSync(kept);
    const isUnfinished = (error: unknown) =>
      error instanceof StartProblem && /pinyon recover/.test(error.message);
    await assert.rejects(check(path), isUnfinished);
    writeFileSync(join(kept, 'catalog.sqlite'), 'content');
    writeFileSync(join(kept, 'task.json'), '{}');
    await assert.rejects(check(path), isUnfinished);
    renameSync(join(kept, 'catalog.sqlite'), join(path, 'catalog.sqlite'));
    await check(path);
    assert.equal(existsSync(kept), false);
  });
});
