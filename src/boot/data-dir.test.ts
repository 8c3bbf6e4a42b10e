// Proves that the data directory is created wherever its path leads, the default beside the caller included.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { assertNotOrphaned, prepareDataDir } from './data-dir.ts';
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

  for (const name of ['indexes', 'blobs']) {
    it(`is not taken for a new one when the catalog beside its ${name} is missing or empty`, () => {
      const path = mkdtempSync(join(folder, `${name}-`));
      mkdirSync(join(path, name));
      assertNotOrphaned(path);
      writeFileSync(join(path, name, 'one'), '');
      const isRefused = (error: unknown) => error instanceof StartProblem && /--adopt/.test(error.message);
      assert.throws(() => assertNotOrphaned(path), isRefused);
      writeFileSync(join(path, 'catalog.sqlite'), '');
      assert.throws(() => assertNotOrphaned(path), isRefused);
      writeFileSync(join(path, 'catalog.sqlite'), 'content');
      assertNotOrphaned(path);
    });
  }

  it('is refused while a recovery into it has not ended, and is used once its catalog is in place', () => {
    const path = mkdtempSync(join(folder, 'recovering-'));
    const kept = join(path, 'recovering');
    mkdirSync(kept);
    const isRefused = (error: unknown) =>
      error instanceof StartProblem && /pinyon recover/.test(error.message);
    assert.throws(() => assertNotOrphaned(path), isRefused);
    writeFileSync(join(kept, 'catalog.sqlite'), 'content');
    writeFileSync(join(kept, 'task.json'), '{}');
    assert.throws(() => assertNotOrphaned(path), isRefused);
    renameSync(join(kept, 'catalog.sqlite'), join(path, 'catalog.sqlite'));
    assertNotOrphaned(path);
    assert.equal(existsSync(kept), false);
  });
});
