// Runs of schedules, whatever the clocks of the node and of the database say.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { DatabaseClock } from '../../catalog/catalog-clock.ts';
import { SAMPLE_INDEX, seedProjects } from '../../catalog/conformance/conformance-suite.ts';
import { SqlCatalog } from '../../catalog/sql-catalog.ts';
import { openSqlite } from '../../catalog/sqlite/open-catalog.ts';
import { type BackupSchedule, FREQUENCIES, plannedRun } from '../../domain/backups/schedule.ts';
import { newId } from '../../domain/ids.ts';
import { ScheduleClock } from './schedule-clock.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const CREATED_AT = '2026-01-31T10:00:00.000Z';
const START_MS = Date.parse(CREATED_AT);
const SCHEDULE: BackupSchedule = {
  ...{ id: 'nightly', projectId: SAMPLE_INDEX.projectId, indexId: SAMPLE_INDEX.id, name: 'nightly' },
  ...{ frequency: 'daily', retentionDays: 60, enabled: true },
  ...{ anchorAt: CREATED_AT, nextRunAt: '2026-02-01T10:00:00.000Z', createdAt: CREATED_AT },
};

describe('the clock of schedules', () => {
  /** Of the database; a node reads its own as the time of a look. */
  let clock: DatabaseClock;
  let catalog: SqlCatalog;

  beforeEach(async () => {
    clock = new DatabaseClock();
    catalog = new SqlCatalog(await openSqlite({ path: ':memory:' }), { clock });
    await seedProjects(catalog);
    await catalog.indexes.insert({ ...SAMPLE_INDEX, port: null });
  });
  afterEach(() => catalog.close());

  const add = (schedule: BackupSchedule) =>
    catalog.schedules.insert({
      schedule,
      planned: plannedRun(schedule, SAMPLE_INDEX, newId(), CREATED_AT),
    });

  /** @param at by the node's clock, in milliseconds after the schedule was made */
  async function look(at: number): Promise<void> {
    const failures: unknown[] = [];
    const schedules = new ScheduleClock({
      catalog,
      jobs: { wake: () => undefined },
      sourceOf: () => SAMPLE_INDEX,
      now: () => new Date(START_MS + at),
      onFailure: (error) => failures.push(error),
    });
    schedules.start();
    await schedules.close();
    assert.deepEqual(failures, []);
  }

  async function runs(): Promise<number> {
    const { id: scheduleId, projectId } = SCHEDULE;
    const query = { projectId, face: 'backup', scheduleId } as const;
    const { items } = await catalog.archives.list(query, { limit: 100, after: null });
    assert.equal(items.filter(({ state }) => state === 'Scheduled').length, 1, 'one is planned');
    return items.length - 1;
  }

  test('starts one backup when it is due by the database, however far the clock of the node is off', async () => {
    for (const [minutesAhead, expected] of [
      [5, 1],
      [-5, 2],
      [-3 * 24 * 60, 3],
    ] as const) {
      if (expected === 1) await add(SCHEDULE);
      clock.report(minutesAhead * MINUTE_MS, 0);
      const dueAt = expected * DAY_MS - minutesAhead * MINUTE_MS;
      await look(dueAt - 1);
      assert.equal(await runs(), expected - 1, 'before it is due');
      await look(dueAt);
      await look(dueAt);
      await look(dueAt + 1_000);
      assert.equal(await runs(), expected, `${minutesAhead} minutes`);
    }
  });

  for (const frequency of FREQUENCIES)
    test(`goes on with a ${frequency} schedule after the clock was months ahead, with one backup at once`, async () => {
      await add({ ...SCHEDULE, frequency });
      await look(90 * DAY_MS);
      assert.equal(await runs(), 1, 'by the clock that was ahead');
      await look(DAY_MS);
      assert.equal(await runs(), 2, 'the clock is right again');
      await look(DAY_MS + 1_000);
      assert.equal(await runs(), 2, 'it is planned within its period');
      const nextRunAt = (await catalog.schedules.find(SCHEDULE.projectId, SCHEDULE.id))?.nextRunAt;
      await look(Date.parse(nextRunAt ?? '') - START_MS);
      assert.equal(await runs(), 3);
    });

  test('goes on with a schedule that was made while the clock was ahead', async () => {
    const anchorAt = new Date(START_MS + 90 * DAY_MS).toISOString();
    await add({ ...SCHEDULE, anchorAt, nextRunAt: new Date(START_MS + 91 * DAY_MS).toISOString() });
    await look(MINUTE_MS);
    await look(2 * MINUTE_MS);
    assert.equal(await runs(), 1);
    await look(DAY_MS);
    assert.equal(await runs(), 2);
  });

  test('leaves a schedule alone whose node has planned it by a clock that is some minutes ahead', async () => {
    await add({ ...SCHEDULE, nextRunAt: new Date(START_MS + DAY_MS + 10 * MINUTE_MS).toISOString() });
    await look(0);
    assert.equal(await runs(), 0);
  });
});
