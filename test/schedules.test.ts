// Backup schedules with SDK 9: the real program, what it plans, and its restarts.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Pinecone } from '@pinecone-database/pinecone';
import { API_KEY, type Service, startService } from './support/service.ts';
import { found } from './support/until.ts';

describe('backup schedules with SDK 9', () => {
  let service: Service;
  let pinecone: Pinecone;

  before(async () => {
    service = await startService();
    pinecone = new Pinecone({ apiKey: API_KEY, controllerHostUrl: service.url });
    const spec = { serverless: { cloud: 'aws', region: 'us-east-1' } } as const;
    await pinecone.createIndex({ name: 'maps', dimension: 2, metric: 'cosine', spec, waitUntilReady: true });
    await pinecone.index({ name: 'maps' }).upsert({ records: [{ id: 'a', values: [1, 2] }] });
  });
  after(() => service.dispose());

  it('schedules backups, with one enabled schedule per index, and shows the planned ones', async () => {
    const schedule = await pinecone.backupSchedules.create('maps', {
      name: 'nightly',
      frequency: 'daily',
      retentionDays: 7,
    });
    const { scheduleId, nextScheduledRun } = schedule;
    assert.deepEqual(
      [schedule.enabled, schedule.frequency, schedule.retentionExpireAfterDays],
      [true, 'daily', 7],
    );
    assert.ok((nextScheduledRun?.getTime() ?? 0) > Date.now());
    const twin = { name: 'twin', frequency: 'weekly', retentionDays: 1 } as const;
    await assert.rejects(pinecone.backupSchedules.create('maps', twin), { name: 'PineconeConflictError' });
    const planned = (await pinecone.backupSchedules.history(scheduleId)).data;
    assert.deepEqual(
      planned.map(({ status, scheduledExecutionAt }) => [status, scheduledExecutionAt]),
      [['Scheduled', nextScheduledRun]],
    );
    const paused = await pinecone.backupSchedules.update(scheduleId, { enabled: false });
    assert.deepEqual([paused.enabled, paused.nextScheduledRun], [false, null]);
    await pinecone.backupSchedules.update(scheduleId, { enabled: true });
    const [next, made] = await found(async () => {
      const latest = (await pinecone.backupSchedules.history(scheduleId)).data;
      return latest[1]?.status === 'Ready' ? latest : undefined;
    }, 'the backup');
    assert.match(made?.name ?? '', /^nightly-\d{8}t\d{6}$/);
    assert.deepEqual([next?.status, made?.recordCount], ['Scheduled', 1]);
    await service.restart();
    pinecone = new Pinecone({ apiKey: API_KEY, controllerHostUrl: service.url });
    assert.deepEqual(
      (await pinecone.backupSchedules.list('maps')).data.map(({ name }) => name),
      ['nightly'],
    );
    await pinecone.backupSchedules.delete(scheduleId);
    await assert.rejects(pinecone.backupSchedules.describe(scheduleId), { name: 'PineconeNotFoundError' });
    assert.equal(
      ((await pinecone.listBackups({ indexName: 'maps' })).data ?? []).filter(({ name }) =>
        name?.startsWith('nightly-'),
      ).length,
      1,
    );
  });
});
