// The catalog's log after a kill: what is lost of its commits is reported, and the catalog does not open without them.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { CatalogOpenError } from '../port.ts';
import { LogEnd } from './log-end.ts';
import { frameOffset, parseLogHeader } from './log-frames.ts';
import { LoggedPages } from './logged-pages.ts';
import { openCatalog } from './open-catalog.ts';

const WRITES = 8;
/** Fewer than make a log so long that the catalog empties it, however late the kill comes. */
const WRITES_MAX = 20 * WRITES;
/** Counts in the settings of a catalog until it is killed, after which its log has commits. */
const WRITING = `
  const { openCatalog } = await import(${JSON.stringify(new URL('./open-catalog.ts', import.meta.url))});
  const catalog = await openCatalog({ path: process.argv.at(-1) });
  // No state comes twice.
  const first = Number(await catalog.settings.get('number')) + 1;
  for (let number = first; number < first + ${WRITES_MAX}; number++) {
    await catalog.settings.set('number', String(number));
    process.stdout.write(number + '\\n');
  }
  setInterval(() => {}, 1_000);`;
/** The same, on a disk that at some moment takes no more, and once that was answered. @returns what it reads then */
const REFUSED = `
  const { openCatalog } = await import(${JSON.stringify(new URL('./open-catalog.ts', import.meta.url))});
  const catalog = await openCatalog({ path: process.argv.at(-1) });
  try {
    for (let number = 1; ; number++) await catalog.settings.set('number', String(number));
  } catch {
    process.stdout.write(await catalog.settings.get('number'));
    process.kill(process.pid, 'SIGKILL');
  }`;
/** In the units of `ulimit -f`. Between the ends of the pages of a log, wherever those lie. */
const FILE_BLOCKS = [1_240, 1_250, 1_260];
/** Where catalog.log-end has the number of pages. */
const FRAMES_AT = 12;
const PAGE_BYTES = 4_096;

describe('the log of a catalog whose process was killed', () => {
  let folder: string;
  let path: string;
  let written = 0;
  /** Bytes of the log that were told; a commit that was cut off, and an earlier generation, may follow. */
  let used = 0;
  let copies = 0;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinyon-catalog-log-'));
    const original = join(folder, 'original');
    await cp(await mkdtemp(join(folder, 'empty-')), original, { recursive: true });
    path = join(original, 'catalog.sqlite');
    written = await killedAfter(WRITES);
    await cp(original, join(folder, 'older'), { recursive: true });
    written = await killedAfter(WRITES);
    const header = parseLogHeader(await readFile(`${path}-wal`));
    assert.ok(header !== null);
    const end = await readFile(join(path, '..', 'catalog.log-end'));
    used = frameOffset(end.readUInt32LE(FRAMES_AT), header.pageBytes);
  });
  after(() => rm(folder, { recursive: true }));

  /** @returns the last number that was acknowledged */
  async function killedAfter(writes: number, at = path): Promise<number> {
    const words = ['--input-type=module', '--eval', WRITING, at];
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    let last = 0;
    let seen = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      last = Number(line);
      if (++seen === writes) child.kill('SIGKILL');
    }
    // It may hold the lock of the catalog a moment longer than its output.
    await ended;
    return last;
  }

  async function copied(): Promise<string> {
    const copy = join(folder, `copy-${++copies}`);
    await cp(join(folder, 'original'), copy, { recursive: true });
    return join(copy, 'catalog.sqlite');
  }

  /** A copy whose process was killed when it wrote no more: its last commit was noted, too. */
  async function killedAtRest(): Promise<{ readonly copy: string; readonly last: number }> {
    const copy = await copied();
    return { copy, last: await killedAfter(WRITES_MAX, copy) };
  }

  async function assertRefused(copy: string, reason: RegExp): Promise<void> {
    const isReason = (error: unknown) =>
      error instanceof CatalogOpenError && error.problem === 'damaged' && reason.test(error.message);
    await assert.rejects(openCatalog({ path: copy }), isReason);
    // Nothing was changed by that.
    await assert.rejects(openCatalog({ path: copy }), isReason);
  }

  async function numberIn(copy: string): Promise<number> {
    const catalog = await openCatalog({ path: copy });
    try {
      return Number(await catalog.settings.get('number'));
    } finally {
      await catalog.close();
    }
  }

  it('keeps every acknowledged change, and opens', async () => {
    assert.ok((await numberIn(await copied())) >= written);
  });

  it('is refused with the last commit when it is removed, emptied or cut', async () => {
    const removed = await copied();
    await rm(`${removed}-wal`);
    await assertRefused(removed, /its log is missing or damaged; the last commit was at 20/);
    for (const share of [0, 0.5, 0.95]) {
      const cut = await copied();
      await truncate(`${cut}-wal`, Math.floor(used * share));
      await assertRefused(cut, /its log (is missing|has \d+ of \d+ committed pages)/);
    }
  });

  it('is refused when any of its bits is flipped', async () => {
    for (const share of [0, 0.0001, 0.3, 0.6, 0.99]) {
      const flipped = await copied();
      const log = await readFile(`${flipped}-wal`);
      const at = Math.floor((used - 1) * share);
      log[at] = (log[at] ?? 0) ^ 4;
      await writeFile(`${flipped}-wal`, log);
      await assertRefused(flipped, /its log/);
    }
  });

  it('is refused when it is an older one, alone or with the main file', async () => {
    const stale = await copied();
    await cp(join(folder, 'older', 'catalog.sqlite-wal'), `${stale}-wal`);
    await assertRefused(stale, /its log is an older one/);
    await cp(join(folder, 'older', 'catalog.sqlite'), stale);
    await assertRefused(stale, /its log is an older one/);
  });

  it('is refused when it is that of an earlier run, whatever its random salts', async () => {
    for (let run = 0; run < 4; run++) {
      const stale = await copied();
      // A clean stop removes the log, so that the next one has other random salts.
      const catalog = await openCatalog({ path: stale });
      await catalog.settings.set('number', '0');
      await catalog.close();
      await cp(`${path}-wal`, `${stale}-wal`);
      await assertRefused(stale, /its log is an older one|its log has/);
      await rm(`${stale}-wal`);
      await killedAfter(WRITES, stale);
      await cp(`${path}-wal`, `${stale}-wal`);
      await assertRefused(stale, /its log is an older one|its log has/);
    }
  });

  it('opens without its log once the main file has everything', async () => {
    const stopped = await copied();
    const catalog = await openCatalog({ path: stopped });
    await catalog.settings.set('number', '77');
    await catalog.close();
    assert.equal(await numberIn(stopped), 77);
  });

  it('keeps every acknowledged change, and opens, after a commit that the disk has refused', async () => {
    for (const blocks of FILE_BLOCKS) {
      const full = join(await mkdtemp(join(folder, 'full-')), 'catalog.sqlite');
      const command = ['-c', `ulimit -f ${blocks}; exec "$@"`, 'sh', process.execPath];
      const words = ['--input-type=module', '--eval', REFUSED, full];
      const { stdout } = spawnSync('sh', [...command, ...words], { encoding: 'utf8' });
      assert.ok(Number(stdout) > 0, stdout);
      assert.equal(await numberIn(full), Number(stdout));
    }
  });

  /** As another program does that opens the catalog, runs SQL and ends. @returns the main file */
  async function openedByAnother(copy: string, sql: string): Promise<Buffer> {
    const other = new DatabaseSync(copy);
    other.exec(sql);
    other.close();
    assert.ok(!existsSync(`${copy}-wal`));
    return readFile(copy);
  }

  it('is written on where the checksums of its pages have no room on the disk: the commit is there', async (test) => {
    test.mock.method(process, 'emitWarning', () => undefined);
    const copy = await copied();
    const end = new LogEnd(copy);
    test.mock.method(LoggedPages.prototype, 'note', () => {
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    });
    const header = parseLogHeader(await readFile(`${copy}-wal`));
    assert.ok(header !== null);
    end.advance(1);
    end.close();
    test.mock.restoreAll();
    assert.ok((await numberIn(copy)) >= written);
  });

  it('may be moved to the main file by another program that changes nothing', async () => {
    const { copy: moved, last } = await killedAtRest();
    await openedByAnother(moved, 'select count(*) from sqlite_master');
    assert.equal(await numberIn(moved), last);
    assert.equal(await numberIn(moved), last, 'the next start takes it as it is');
    await killedAfter(WRITES, moved);
    assert.ok((await numberIn(moved)) >= WRITES);
  });

  it('is missed where another program has changed the main file, too, or a page of it is not there', async () => {
    const changed = await copied();
    await openedByAnother(changed, "update settings set value = '0' where name = 'number'");
    await assertRefused(changed, /its log is missing.* remove .*catalog\.sums and .*catalog\.log-end first/);
    for (const beside of ['sums', 'log-end']) await rm(join(changed, '..', `catalog.${beside}`));
    assert.equal(await numberIn(changed), 0);
    const { copy: partly, last } = await killedAtRest();
    const before = await readFile(partly);
    const after = await openedByAnother(partly, 'select count(*) from sqlite_master');
    const pages = Array.from({ length: after.length / PAGE_BYTES }, (_, page) => page * PAGE_BYTES);
    const isMoved = (at: number) =>
      !after.subarray(at, at + PAGE_BYTES).equals(before.subarray(at, at + PAGE_BYTES));
    const moved = pages.filter(isMoved);
    assert.ok(moved.length > 0);
    for (const at of moved) {
      const file = Buffer.from(after);
      before.copy(file, at, at, at + PAGE_BYTES);
      await writeFile(partly, file);
      await assertRefused(partly, /its log is missing/);
    }
    await writeFile(partly, after);
    assert.equal(await numberIn(partly), last);
  });

  it('is used as it is once the file beside it is removed, as the message says', async () => {
    const cut = await copied();
    await truncate(`${cut}-wal`, Math.floor(used / 2));
    await assertRefused(cut, /remove .*catalog\.log-end first/);
    await rm(join(cut, '..', 'catalog.log-end'));
    assert.ok((await numberIn(cut)) < written);
  });

  it('opens when the file beside it is damaged or older', async () => {
    const damaged = await copied();
    await writeFile(join(damaged, '..', 'catalog.log-end'), 'not what it was');
    assert.ok((await numberIn(damaged)) >= written);
    const older = await copied();
    await cp(join(folder, 'older', 'catalog.log-end'), join(older, '..', 'catalog.log-end'));
    assert.ok((await numberIn(older)) >= written);
  });
});
