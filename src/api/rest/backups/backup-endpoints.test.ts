// Guarantees of the endpoints of backups, restore jobs and schedules: responses by version, refusals with status, code and text.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually, OWNER, STRANGER } from '../../../app/indexes/testing/control-plane.ts';
import { createIndex } from '../indexes/create-index.ts';
import { deleteIndex } from '../indexes/delete-index.ts';
import { describeIndex } from '../indexes/describe-index.ts';
import {
  badArgument,
  ControlSurface,
  notFound,
  SERVERLESS,
  undeserializable,
} from '../testing/control-client.ts';
import { createBackup } from './create-backup.ts';
import { createBackupSchedule } from './create-backup-schedule.ts';
import { createCollection } from './create-collection.ts';
import { createIndexFromBackup } from './create-index-from-backup.ts';
import { deleteBackup } from './delete-backup.ts';
import { deleteBackupSchedule } from './delete-backup-schedule.ts';
import { describeBackup } from './describe-backup.ts';
import { describeBackupSchedule } from './describe-backup-schedule.ts';
import { describeRestoreJob } from './describe-restore-job.ts';
import { listBackupScheduleHistory } from './list-backup-schedule-history.ts';
import { listBackupSchedules } from './list-backup-schedules.ts';
import { listBackups } from './list-backups.ts';
import { listIndexBackups } from './list-index-backups.ts';
import { listRestoreJobs } from './list-restore-jobs.ts';
import { updateBackupSchedule } from './update-backup-schedule.ts';

type Json = Readonly<Record<string, unknown>>;

const BAD_NAME =
  "Name must consist of lower case alphanumeric characters or '-', and must not start or end with '-'.";
const BAD_LIMIT = 'limit must be an integer from 1 to 100.';
const SCHEDULE = {
  name: 'nightly',
  schedule: { type: 'time-based', frequency: 'daily' },
  retention: { expire_after_days: 7 },
};

describe('endpoints of backups', () => {
  let surface: ControlSurface;
  const books = { params: { index_name: 'books' } };

  before(async () => {
    surface = await ControlSurface.make();
    const spec = {
      serverless: { ...SERVERLESS.serverless, schema: { fields: { genre: { filterable: true } } } },
    };
    const index = { name: 'books', dimension: 3, metric: 'cosine', spec, tags: { team: 'search' } };
    await surface.call(createIndex, { body: index });
    const pods = { pod: { environment: 'us-east1-gcp', pod_type: 'p1.x1' } };
    await surface.call(createIndex, { body: { name: 'pods', dimension: 3, metric: 'cosine', spec: pods } });
    const created = await surface.indexes.list(OWNER);
    for (const each of created) surface.host.write(each, 12);
  });

  after(() => surface.dispose());

  async function readyBackup(body: Json = {}): Promise<Json> {
    const { backup_id: id } = (await surface.call(createBackup, { ...books, body })).body as Json;
    const params = { backup_id: String(id) };
    const look = async () => (await surface.call(describeBackup, { params })).body as Json;
    await eventually(async () => (await look()).status === 'Ready');
    return look();
  }

  test('shows the metadata schema of a backup up to 2026-04 and the index schema since, and counts once Ready', async () => {
    const { created_at, ...begun } = (
      await surface.call(createBackup, { ...books, body: { name: 'First!', description: 'all' } })
    ).body as Json;
    assert.match(String(created_at), /^\d{4}-\d\d-\d\dT/);
    const details = {
      backup_id: begun.backup_id,
      source_index_name: 'books',
      source_index_id: begun.source_index_id,
      name: 'First!',
      description: 'all',
      cloud: 'aws',
      region: 'us-east-1',
      dimension: 3,
      metric: 'cosine',
      schema: { fields: { genre: { filterable: true } } },
      tags: { team: 'search' },
    };
    assert.deepEqual(begun, { ...details, status: 'Initializing' });
    const params = { backup_id: String(begun.backup_id) };
    const look = async (version: '2025-04' | '2026-07' | null) =>
      (await surface.call(describeBackup, { params, version })).body as Json;
    await eventually(async () => (await look('2025-04')).status === 'Ready');
    assert.deepEqual((await look(null)).schema, details.schema);
    const { size_bytes: size, ...ready } = await look('2026-07');
    assert.ok(Number(size) > 0);
    assert.deepEqual(ready, {
      ...details,
      created_at,
      status: 'Ready',
      record_count: 12,
      namespace_count: 1,
      schema: {
        fields: {
          _values: { type: 'dense_vector', dimension: 3, metric: 'cosine', description: null },
          _sparse_values: { type: 'sparse_vector', description: null },
          genre: { filterable: true },
        },
      },
    });
  });

  test('allows an absent body, applies the rule for index names since 2026-07, and refuses pods and other projects', async () => {
    await surface.call(createBackup, books);
    const body = { name: 'Not A Name' };
    await surface.refuses(createBackup, { ...books, body, version: '2026-07' }, badArgument(BAD_NAME));
    await surface.call(createBackup, { ...books, body, version: null });
    const long = { name: 'x'.repeat(256) };
    const tooLong = badArgument('name must be at most 255 characters long.');
    await surface.refuses(createBackup, { ...books, body: long }, tooLong);
    const reason = 'invalid type: integer `5`, expected a string at line 1 column 9';
    await surface.refuses(createBackup, { ...books, body: { name: 5 } }, undeserializable(reason));
    await surface.refuses(
      createBackup,
      { params: { index_name: 'pods' } },
      badArgument('Index pods is a pod index; backups are made of serverless indexes only.'),
    );
    const absent = notFound('index-not-found', 'Index books not found.');
    await surface.refuses(createBackup, { ...books, access: STRANGER }, absent);
    await surface.refuses(listIndexBackups, { ...books, access: STRANGER }, absent);
  });

  test('lists pages of 10 up to 2026-04 and 100 since, and refuses bad limits and tokens with 400', async () => {
    for (let count = 0; count < 12; count += 1) await surface.call(createBackup, books);
    const page = async (endpoint: typeof listBackups, version: '2025-10' | '2026-07' | null, query = {}) =>
      (await surface.call(endpoint, { ...books, version, query })).body as {
        readonly data: readonly Json[];
        readonly pagination: { readonly next: string } | null;
      };
    for (const endpoint of [listBackups, listIndexBackups]) {
      const first = await page(endpoint, '2025-10');
      assert.equal(first.data.length, 10);
      assert.equal((await page(endpoint, null)).data.length, 10);
      const paginationToken = first.pagination?.next ?? '';
      const rest = await page(endpoint, '2025-10', { paginationToken, limit: '100' });
      const { data: again } = await page(endpoint, '2025-10', { paginationToken: '' });
      assert.deepEqual(
        again.map((each) => each.backup_id),
        first.data.map((each) => each.backup_id),
      );
      const all = await page(endpoint, '2026-07');
      assert.deepEqual(
        [...first.data, ...rest.data].map((each) => each.backup_id),
        all.data.map((each) => each.backup_id),
      );
      assert.equal(all.pagination, null);
      for (const limit of ['0', '101', 'x', '1.5', '-1']) {
        await surface.refuses(endpoint, { ...books, query: { limit } }, badArgument(BAD_LIMIT));
      }
      const bad = badArgument('paginationToken is invalid or expired, or comes from another query');
      await surface.refuses(endpoint, { ...books, query: { paginationToken: 'x' } }, bad);
      await surface.refuses(listRestoreJobs, { query: { paginationToken } }, bad);
    }
    const include = { include_deleted: 'maybe' };
    const unclear = badArgument('include_deleted must be true or false.');
    await surface.refuses(listIndexBackups, { ...books, query: include }, unclear);
  });

  test('responds 202 with the job for an index from a backup, which ends at 100 percent', async () => {
    const backup = await readyBackup();
    const params = { backup_id: String(backup.backup_id) };
    const body = { name: 'again', tags: { a: 'b' }, deletion_protection: 'disabled' };
    const answer = (await surface.call(createIndexFromBackup, { params, body })).body as Json;
    const job = async () =>
      (await surface.call(describeRestoreJob, { params: { job_id: String(answer.restore_job_id) } }))
        .body as Json;
    await eventually(async () => (await job()).status === 'Completed');
    const { created_at, completed_at, ...details } = await job();
    assert.ok(String(created_at) <= String(completed_at));
    assert.deepEqual(details, {
      restore_job_id: answer.restore_job_id,
      backup_id: backup.backup_id,
      target_index_name: 'again',
      target_index_id: answer.index_id,
      status: 'Completed',
      percent_complete: 100,
    });
    const index = { params: { index_name: 'again' }, version: '2026-07' } as const;
    const { source_backup_id, tags, status } = (await surface.call(describeIndex, index)).body as Json;
    assert.deepEqual(
      [source_backup_id, tags, status],
      [backup.backup_id, { a: 'b' }, { ready: true, state: 'Ready' }],
    );
    const { data } = (await surface.call(listRestoreJobs)).body as { readonly data: readonly Json[] };
    assert.equal(data[0]?.restore_job_id, answer.restore_job_id);
  });

  test('validates the body of a restore, and responds 404 to everything absent', async () => {
    const backup = await readyBackup();
    const params = { backup_id: String(backup.backup_id) };
    const refused = (body: unknown, expected: Parameters<typeof surface.refuses>[2]) =>
      surface.refuses(createIndexFromBackup, { params, body }, expected);
    await refused({ name: 'Bad' }, badArgument(BAD_NAME));
    await refused({}, undeserializable('missing field `name` at line 1 column 2'));
    await refused(
      { name: 'copy', deletion_protection: 'maybe' },
      badArgument('Invalid deletion_protection, value should be either enabled or disabled.'),
    );
    await refused(
      { name: 'copy', read_capacity: { mode: 'Huge' } },
      badArgument('read_capacity.mode must be OnDemand or Dedicated.'),
    );
    await refused(
      { name: 'books' },
      { condition: 'name-taken', status: 409, code: 'ALREADY_EXISTS', message: 'Resource already exists.' },
    );
    const none = { params: { backup_id: 'none' } };
    const absent = notFound('backup-not-found', 'Backup none not found.');
    await surface.refuses(createIndexFromBackup, { ...none, body: { name: 'copy' } }, absent);
    await surface.refuses(describeBackup, none, absent);
    await surface.refuses(deleteBackup, none, absent);
    const noJob = notFound('restore-job-not-found', 'Restore job none not found.');
    await surface.refuses(describeRestoreJob, { params: { job_id: 'none' } }, noJob);
    await surface.call(deleteBackup, { params });
    const id = params.backup_id;
    const gone = notFound('backup-not-found', `Backup ${id} not found.`);
    await surface.refuses(describeBackup, { params }, gone);
  });

  test('responds 412 for an index with a pending collection, and for a backup that is not Ready', async () => {
    const released = Promise.withResolvers<void>();
    surface.host.copies.at = (stage) => (stage === 'export' ? released.promise : Promise.resolve());
    await surface.call(createCollection, { body: { name: 'frozen', source: 'pods' } });
    await surface.refuses(
      deleteIndex,
      { params: { index_name: 'pods' } },
      {
        condition: 'pending-collections',
        status: 412,
        code: 'FAILED_PRECONDITION',
        message: "Unable to delete an index. There are pending collections for this index: ['frozen']",
      },
    );
    const { backup_id: id } = (await surface.call(createBackup, books)).body as Json;
    await surface.refuses(
      createIndexFromBackup,
      { params: { backup_id: String(id) }, body: { name: 'copy' } },
      {
        condition: 'backup-not-ready',
        status: 412,
        code: 'FAILED_PRECONDITION',
        message: `Backup ${id} is not completed`,
      },
    );
    released.resolve();
    surface.host.copies.at = () => Promise.resolve();
  });

  test('creates, changes, lists and deletes a schedule with its history', async () => {
    const version = '2026-07';
    const made = (await surface.call(createBackupSchedule, { ...books, version, body: SCHEDULE }))
      .body as Json;
    const { schedule_id, project_id, index_id, created_at, ...details } = made;
    assert.deepEqual(details, {
      name: 'nightly',
      schedule_type: 'time-based',
      frequency: 'daily',
      retention_expire_after_days: 7,
      enabled: true,
      next_scheduled_run: '2026-02-01T10:00:00.000Z',
    });
    const params = { schedule_id: String(schedule_id) };
    await surface.refuses(
      createBackupSchedule,
      { ...books, body: SCHEDULE },
      {
        condition: 'schedule-exists',
        status: 409,
        code: 'ALREADY_EXISTS',
        message: 'This index already has an enabled backup schedule. Disable or delete it first.',
      },
    );
    const { data } = (await surface.call(listBackupScheduleHistory, { params, version })).body as {
      readonly data: readonly Json[];
    };
    assert.partialDeepStrictEqual(data[0], {
      status: 'Scheduled',
      record_count: null,
      description: null,
      scheduled_execution_at: '2026-02-01T10:00:00.000Z',
    });
    const change = { frequency: 'weekly', retention: { expire_after_days: 2 }, enabled: false };
    const changed = (await surface.call(updateBackupSchedule, { params, body: change })).body as Json;
    assert.partialDeepStrictEqual(changed, {
      frequency: 'weekly',
      retention_expire_after_days: 2,
      enabled: false,
      next_scheduled_run: null,
    });
    const listed = (await surface.call(listBackupSchedules, books)).body as {
      readonly data: readonly Json[];
    };
    assert.deepEqual(listed.data, [changed]);
    await surface.call(deleteBackupSchedule, { params });
    const absent = notFound('schedule-not-found', 'Backup schedule not found.');
    await surface.refuses(describeBackupSchedule, { params }, absent);
    await surface.refuses(deleteBackupSchedule, { params }, absent);
    await surface.refuses(updateBackupSchedule, { params, body: {} }, absent);
    await surface.refuses(listBackupScheduleHistory, { params }, absent);
  });

  test('validates the body of a schedule', async () => {
    const refused = (change: Json, message: string) =>
      surface.refuses(
        createBackupSchedule,
        { ...books, body: { ...SCHEDULE, ...change } },
        badArgument(message),
      );
    await refused({ name: 'N' }, BAD_NAME);
    await refused({ schedule: { type: 'cron', frequency: 'daily' } }, 'schedule.type must be time-based.');
    const frequency = 'frequency must be one of daily, weekly, monthly.';
    await refused({ schedule: { type: 'time-based', frequency: 'hourly' } }, frequency);
    const retention = 'retention.expire_after_days must be an integer from 1 to 36500.';
    await refused({ retention: { expire_after_days: 0 } }, retention);
    await surface.refuses(
      createBackupSchedule,
      { params: { index_name: 'pods' }, body: SCHEDULE },
      badArgument('Index pods is a pod index; backups are made of serverless indexes only.'),
    );
  });
});
