// Backup schedules.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Archive } from '../../domain/backups/archive.ts';
import { Fault, type FaultName } from '../../domain/faults.ts';
import { eventually, NEW_INDEX, OWNER, STRANGER } from '../indexes/testing/control-plane.ts';
import { NOTHING_SCRUBBED, writeScrubState } from './damaged-archives.ts';
import { BackupHost, type Running } from './testing/backup-host.ts';

const DAY_MS = 86_400_000;
const ALL = { limit: 100, after: null };
const NIGHTLY = { name: 'nightly', frequency: 'daily', retentionDays: 7 } as const;

function is(condition: FaultName) {
  return (error: unknown): boolean => error instanceof Fault && error.condition === condition;
}

describe('backup schedules', () => {
  let host: BackupHost;
  let server: Running;

  beforeEach(async () => {
    host = await BackupHost.make();
    server = await host.start();
    host.write(await server.indexes.create(OWNER, NEW_INDEX), 10);
  });

  afterEach(() => host.dispose());

  function later(days: number): void {
    host.now = new Date(host.now.getTime() + days * DAY_MS);
  }

  async function history(id: string): Promise<readonly Archive[]> {
    return (await server.schedules.history(OWNER, id, ALL)).items;
  }

  async function states(id: string): Promise<readonly string[]> {
    return (await history(id)).map(({ state }) => state);
  }

  test('plans a run, starts it when it is due, and plans the next', async () => {
    const { id, nextRunAt } = await server.schedules.create(OWNER, 'books', NIGHTLY);
    assert.equal(nextRunAt, '2026-02-01T10:00:00.000Z');
    const [planned] = await history(id);
    assert.deepEqual([planned?.state, planned?.scheduledAt], ['Scheduled', nextRunAt]);
    assert.deepEqual((await server.backups.list(OWNER, ALL)).items, []);
    await assert.rejects(server.backups.describe(OWNER, planned?.id ?? ''), is('backup-not-found'));
    later(0.5);
    server.look();
    later(0.5);
    server.look();
    await eventually(async () => (await states(id)).join() === 'Scheduled,Ready');
    const [next, made] = await history(id);
    assert.equal(next?.scheduledAt, '2026-02-02T10:00:00.000Z');
    assert.deepEqual([made?.name, made?.recordCount], ['nightly-20260201t100000', 10]);
    assert.deepEqual(
      (await server.backups.list(OWNER, ALL)).items.map((each) => each.id),
      [made?.id],
    );
  });

  test('makes up for all missed runs with one, at the next start', async () => {
    const { id } = await server.schedules.create(OWNER, 'books', NIGHTLY);
    await server.stop();
    host.crash();
    later(5.25);
    server = await host.start();
    await eventually(async () => (await states(id)).join() === 'Scheduled,Ready');
    assert.equal((await history(id))[0]?.scheduledAt, '2026-02-06T10:00:00.000Z');
    server.look();
    await server.stop();
    host.crash();
    server = await host.start();
    assert.deepEqual(await states(id), ['Scheduled', 'Ready']);
  });

  test('removes expired backups by the present retention', async () => {
    const { id } = await server.schedules.create(OWNER, 'books', NIGHTLY);
    for (const requested of ['Scheduled,Ready', 'Scheduled,Ready,Ready']) {
      later(1);
      server.look();
      await eventually(async () => (await states(id)).join() === requested);
    }
    await server.schedules.update(OWNER, id, { retentionDays: 1, enabled: false });
    await eventually(async () => (await states(id)).join() === 'Ready');
    assert.equal((await server.backups.list(OWNER, ALL)).items.length, 1);
    await server.schedules.remove(OWNER, id);
    later(1);
    server.look();
    await eventually(async () => (await host.stored()).length === 0);
  });

  test('plans nothing while paused; starts a backup at once when enabled again and counts from then', async () => {
    const { id } = await server.schedules.create(OWNER, 'books', NIGHTLY);
    const paused = await server.schedules.update(OWNER, id, { enabled: false });
    assert.deepEqual([paused.nextRunAt, await states(id)], [null, []]);
    later(3.5);
    server.look();
    await server.schedules.update(OWNER, id, { enabled: true });
    await eventually(async () => (await states(id)).join() === 'Scheduled,Ready');
    const { nextRunAt } = await server.schedules.describe(OWNER, id);
    assert.equal(nextRunAt, '2026-02-04T22:00:00.000Z');
    const weekly = await server.schedules.update(OWNER, id, { frequency: 'weekly' });
    assert.equal(weekly.nextRunAt, '2026-02-10T22:00:00.000Z');
    assert.equal((await history(id))[0]?.scheduledAt, weekly.nextRunAt);
  });

  test('allows one enabled schedule per index, and any number of disabled ones', async () => {
    const first = await server.schedules.create(OWNER, 'books', NIGHTLY);
    await assert.rejects(server.schedules.create(OWNER, 'books', NIGHTLY), is('schedule-exists'));
    await server.schedules.update(OWNER, first.id, { enabled: false });
    const second = await server.schedules.create(OWNER, 'books', { ...NIGHTLY, name: 'other' });
    await assert.rejects(server.schedules.update(OWNER, first.id, { enabled: true }), is('schedule-exists'));
    assert.equal((await server.schedules.listOf(OWNER, 'books', ALL)).items.length, 2);
    await assert.rejects(server.schedules.describe(STRANGER, second.id), is('schedule-not-found'));
    await assert.rejects(server.schedules.remove(STRANGER, second.id), is('schedule-not-found'));
  });

  test('deletes schedules and planned runs with their index, and keeps their backups', async () => {
    const { id } = await server.schedules.create(OWNER, 'books', NIGHTLY);
    later(1);
    server.look();
    await eventually(async () => (await states(id)).join() === 'Scheduled,Ready');
    await server.indexes.remove(OWNER, 'books');
    await assert.rejects(server.schedules.describe(OWNER, id), is('schedule-not-found'));
    await eventually(async () => (await server.indexes.list(OWNER)).length === 0);
    const { items } = await server.backups.list(OWNER, ALL);
    assert.deepEqual(
      items.map(({ state }) => state),
      ['Ready'],
    );
    assert.ok(items[0]?.sourceDeletedAt !== null);
  });

  test('keeps the last whole backup while later runs fail, and removes it once one has succeeded', async () => {
    const { id } = await server.schedules.create(OWNER, 'books', { ...NIGHTLY, retentionDays: 1 });
    later(1);
    server.look();
    await eventually(async () => (await states(id)).join() === 'Scheduled,Ready');
    const whole = (await history(id)).at(-1)?.id;
    host.copies.at = async () => {
      throw new Error('nothing can be read');
    };
    let last = whole;
    for (let day = 0; day < 3; day++) {
      later(1);
      server.look();
      await eventually(async () => {
        const run = (await history(id))[1];
        if (run?.state !== 'Failed' || run.id === last) return false;
        last = run.id;
        return true;
      });
      server.look();
      // The failed run before is removed in the same step as the whole backup would be.
      await eventually(async () => (await history(id)).length === 3);
    }
    assert.equal((await history(id)).at(-1)?.id, whole);
    host.copies.at = async () => {};
    later(1);
    server.look();
    await eventually(async () => {
      server.look();
      return (await states(id)).join() === 'Scheduled,Ready' && (await history(id)).at(-1)?.id !== whole;
    });
  });

  test('keeps the last whole backup while the newer one is damaged', async () => {
    const { id } = await server.schedules.create(OWNER, 'books', { ...NIGHTLY, retentionDays: 1 });
    const { catalog } = host.plane;
    later(1);
    server.look();
    await eventually(async () => (await states(id)).join() === 'Scheduled,Ready');
    const whole = (await history(id)).at(-1)?.id;
    // Found before it is the newest of those that are complete.
    host.copies.at = async () => {
      const damaged = Object.fromEntries(
        (await history(id)).slice(0, -1).map((each) => [each.id, 'damaged']),
      );
      await writeScrubState(catalog.settings, { ...NOTHING_SCRUBBED, damaged });
    };
    later(1);
    server.look();
    await eventually(async () => (await states(id)).join() === 'Scheduled,Ready,Ready');
    const newer = (await history(id))[1]?.id;
    host.copies.at = async () => {
      throw new Error('nothing can be read');
    };
    const failed: string[] = [];
    for (let day = 0; day < 2; day++) {
      later(1);
      server.look();
      await eventually(async () => {
        const run = (await history(id))[1];
        if (run?.state !== 'Failed' || failed.includes(run.id)) return false;
        return failed.push(run.id) > 0;
      });
    }
    // The failed run before is removed in the same step as the whole backup would be.
    await eventually(async () => {
      server.look();
      return (await states(id)).join() === 'Scheduled,Failed,Ready,Ready';
    });
    assert.deepEqual(
      (await history(id)).slice(2).map((each) => each.id),
      [newer, whole],
    );
  });

  test('keeps an expired backup until a running restore is done', async () => {
    const { id } = await server.schedules.create(OWNER, 'books', { ...NIGHTLY, retentionDays: 1 });
    later(1);
    server.look();
    await eventually(async () => (await states(id)).join() === 'Scheduled,Ready');
    const [, made] = await history(id);
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    host.copies.at = async (stage) => {
      if (stage !== 'import-piece') return;
      reached.resolve();
      await released.promise;
    };
    await server.backups.restore(OWNER, made?.id ?? '', { name: 'copy' });
    await reached.promise;
    await server.schedules.update(OWNER, id, { enabled: false });
    later(2);
    server.look();
    await server.schedules.update(OWNER, id, {});
    assert.deepEqual(await states(id), ['Ready']);
    released.resolve();
    await eventually(async () => (await server.indexes.describe(OWNER, 'copy')).state === 'Ready');
    await eventually(async () => {
      server.look();
      return (await host.stored()).length === 0;
    });
    assert.deepEqual(host.failures, []);
  });
});
