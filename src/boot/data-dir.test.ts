// Proves that the data directory is created wherever its path leads, the default beside the caller included.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { prepareDataDir } from './data-dir.ts';

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
});
