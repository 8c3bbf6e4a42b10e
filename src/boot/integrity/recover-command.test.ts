// pinyon recover, beside another one on the same data directory.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { LogShipper } from '../../app/recovery/log-shipper.ts';
import { timeOf } from '../../app/recovery/plan-recovery.ts';
import { openFolderBlobs } from '../../blobs/folder/open-folder-blobs.ts';
import { openCatalog } from '../../catalog/sqlite/open-catalog.ts';
import { runLine } from '../../cli/line/run-line.ts';
import { COMMAND_GROUPS } from '../../cli/table/command-table.ts';
import { silentIo } from '../../cli/testing/fake-server.ts';
import type { OpenEngine } from '../engine/open-engine.ts';
import { recover } from './recover-command.ts';

const BEGAN = Date.parse('2026-07-01T00:00:00Z');
const MINUTE_MS = 60_000;

/** Without indexes. */
const LOGS = { storages: async () => [], read: async () => null, replay: () => assert.fail('not called') };
const COPIES = () => assert.fail('not called');

/** A folder with the recovery log of a server, in which every setting of its catalog has another moment. */
async function shippedFolder(test: TestContext): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-recover-'));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  const blobs = await openFolderBlobs(join(folder, 'blobs'));
  const catalog = await openCatalog({ path: join(folder, 'lost.sqlite') });
  let now = BEGAN;
  const shipper = new LogShipper({
    ...{ catalog, blobs, dataDir: folder, release: '1.0.0', intervalMs: 1_000, keptMs: 100 * MINUTE_MS },
    engine: { logs: LOGS, copies: COPIES },
    onFailure: (error) => assert.fail(String(error)),
    onNewTimeline: () => undefined,
    ...{ now: () => now, elapsed: () => now - BEGAN },
  });
  for (const moment of ['early', 'late']) {
    await catalog.settings.set('moment', moment);
    await shipper.ship();
    now += 10 * MINUTE_MS;
  }
  await shipper.settled();
  await catalog.close();
  await blobs.close();
  return folder;
}

type Step = () => Promise<void>;

/** Runs the command. @param step what happens when it opens the engine */
async function run(folder: string, words: readonly string[], step: Step = async () => undefined) {
  let err = '';
  const io = silentIo({
    environment: { PINYON_DATA_DIR: join(folder, 'data'), PINYON_BLOBS: join(folder, 'blobs') },
    err: (text) => {
      err += text;
    },
  });
  const openEngine = async (): Promise<OpenEngine> => {
    await step();
    const engine = { logs: LOGS, createIndex: COPIES, copies: COPIES, close: async () => undefined };
    return { engine } as unknown as OpenEngine;
  };
  const runs = { recover: (parsed: Parameters<typeof recover>[0]) => recover(parsed, io, openEngine) };
  const code = await runLine(['recover', ...words], { groups: COMMAND_GROUPS, version: '1.0.0', runs }, io);
  return { code, err };
}

test('a recovery is refused while another one runs on the folder, and removes nothing of it', async (context) => {
  const folder = await shippedFolder(context);
  const data = join(folder, 'data');
  const index = join(data, 'indexes', 'i1');
  const task = () => readFileSync(join(data, 'recovering', 'task.json'), 'utf8');
  const first = await run(folder, [], async () => {
    mkdirSync(index, { recursive: true });
    const before = task();
    for (const words of [[], ['--to', timeOf(BEGAN + MINUTE_MS)]]) {
      const second = await run(folder, words);
      assert.equal(second.code, 1);
      assert.match(second.err, /is in use by another recovery/);
      assert.ok(existsSync(index));
      assert.equal(task(), before);
    }
  });
  assert.equal(first.code, 0, first.err);
  assert.equal(existsSync(join(data, 'recovering')), false);
  const catalog = await openCatalog({ path: join(data, 'catalog.sqlite') });
  assert.equal(await catalog.settings.get('moment'), 'late');
  await catalog.close();
});

test('a recovery whose lock cannot be taken for another reason says which', async (context) => {
  const folder = await shippedFolder(context);
  mkdirSync(join(folder, 'data', 'recovering', 'lock.sqlite'), { recursive: true });
  const { code, err } = await run(folder, []);
  assert.equal(code, 1);
  assert.match(err, /lock\.sqlite cannot be locked: unable to open database file\.$/m);
});

test('a recovery to another moment begins anew once the one before has ended early', async (context) => {
  const folder = await shippedFolder(context);
  const data = join(folder, 'data');
  const remains = [join(data, 'indexes', 'i1'), join(data, 'recovering', 'part')];
  await assert.rejects(
    run(folder, [], async () => {
      for (const path of remains) mkdirSync(path, { recursive: true });
      throw new Error('killed');
    }),
    /killed/,
  );
  const second = await run(folder, ['--to', timeOf(BEGAN + MINUTE_MS)], async () => {
    for (const path of remains) assert.equal(existsSync(path), false);
  });
  assert.equal(second.code, 0, second.err);
  const catalog = await openCatalog({ path: join(data, 'catalog.sqlite') });
  assert.equal(await catalog.settings.get('moment'), 'early');
  await catalog.close();
});
