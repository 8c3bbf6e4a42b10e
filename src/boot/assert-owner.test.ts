// Proves that commands of root leave the data directories of other users alone.
import assert from 'node:assert/strict';
import { chownSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CliProblem, EXIT_MISUSED } from '../cli/command.ts';
import { assertOwner } from './assert-owner.ts';

const ROOT = 0;
const SOMEBODY = 4321;

describe('commands on a data directory', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'pinyon-owner-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  it('are refused to root where it belongs to another user, with the way to run them', () => {
    // Any other user owns it already.
    if (process.geteuid?.() === ROOT) chownSync(folder, SOMEBODY, SOMEBODY);
    const { uid } = statSync(folder);
    assert.throws(
      () => assertOwner(folder, ROOT),
      (error) =>
        error instanceof CliProblem &&
        error.exitCode === EXIT_MISUSED &&
        error.message.includes(`belongs to user ${uid}`) &&
        error.message.includes(`runuser -u "$(id -nu ${uid})" -- pinyon`),
    );
  });

  it('run as any other user, whose rights the system checks', () => {
    assertOwner(folder, SOMEBODY);
    assertOwner(folder, SOMEBODY + 1);
  });

  it('run as root where nothing is there yet', () => {
    assertOwner(join(folder, 'missing'), ROOT);
  });

  it('run as root where root has written the catalog, as in a container with a mounted directory', () => {
    // Stands for a file of root, which other users cannot make.
    symlinkSync('/', join(folder, 'catalog.sqlite'));
    assertOwner(folder, ROOT);
  });
});
