// Tests that quotas count what restores will add, from their beginning on and once, whoever asks when.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { IndexSize } from '../../domain/index-model.ts';
import { BackupFixture, is, POD } from '../backups/testing/backup-fixture.ts';
import { eventually, OWNER } from '../indexes/testing/control-plane.ts';
import { projectUsage } from './project-usage.ts';
import { QuotaService } from './quota-service.ts';

const RECORDS = 300;
const BYTES = 7;
const BEYOND = is('quota-exceeded');

describe('a quota of records', () => {
  let fixture: BackupFixture;
  beforeEach(async () => {
    fixture = await BackupFixture.make();
  });
  afterEach(() => fixture.dispose());

  const usage = (shared?: IndexSize['shared']) => {
    const { copies, plane } = fixture.host;
    const { indexes, jobs, archives } = plane.catalog;
    const linesOf = (id: string) => (copies.stored.get(id) || null)?.split('\n').length ?? 0;
    return projectUsage(
      {
        ...{ indexes: () => indexes.list(), jobs, archives },
        engine: {
          sizeOf: async ({ id }) => ({ records: linesOf(id), bytes: BYTES, ...(shared && { shared }) }),
        },
        files: { counts: async () => [] },
      },
      OWNER.projectId,
    );
  };
  const restore = (name: string, id: string) => fixture.server.backups.restore(OWNER, id, { name });
  /** Starts the server again, with quotas whose clock stands still. */
  const bound = async (records: number): Promise<QuotaService> => {
    const quotas = new QuotaService({
      store: { list: async () => [], set: async () => undefined },
      defaults: { project: { records }, key: {} },
      usageOf: () => usage(),
      filesOf: async () => 0,
      now: () => 0,
    });
    await quotas.load();
    fixture.host.quotas = quotas.growth;
    await fixture.killAndStart();
    return quotas;
  };

  it('counts the records and bytes of a backup while it is restored, and those of the index after', async () => {
    const backup = await fixture.readyBackup();
    const hold = fixture.holdAt('import-end');
    const { id } = await restore('restored', backup.id);
    await hold.reached;
    const { records, storageMegabytes } = await usage();
    assert.deepEqual([records, storageMegabytes], [2 * RECORDS, (BYTES + backup.sizeBytes) / 1e6]);
    hold.release();
    assert.equal((await fixture.ended(id)).state, 'Completed');
    const after = { records: 2 * RECORDS, storageMegabytes: (2 * BYTES) / 1e6, indexes: 2, files: 0 };
    assert.deepEqual(await usage(), after);
  });

  it('counts what branches show of their sources as if they were whole', async () => {
    const shared = { records: 5, bytes: 2 };
    const { records, storageMegabytes } = await usage(shared);
    assert.deepEqual([records, storageMegabytes], [RECORDS + 5, (BYTES + 2) / 1e6]);
  });

  it('refuses restores once those under way take all of it, also of those that come at once', async () => {
    const { id } = await fixture.readyBackup();
    const quotas = await bound(2 * RECORDS + 1);
    fixture.holdAt('import');
    const names = ['one', 'two', 'three', 'four', 'five'];
    const begun = await Promise.allSettled(names.map((name) => restore(name, id)));
    const states = begun.map((each) => (each.status === 'fulfilled' ? each.status : BEYOND(each.reason)));
    assert.deepEqual(states, ['fulfilled', 'fulfilled', true, true, true]);
    await assert.rejects(quotas.growth.admitGrowth(OWNER), BEYOND);
    // Counted anew: by their jobs.
    await assert.rejects(quotas.growth.admitStart(OWNER), BEYOND);
  });

  it('refuses indexes of collections likewise, and counts none that could not begin', async () => {
    const pods = await fixture.server.indexes.create(OWNER, POD);
    fixture.host.write(pods, 40);
    const { collections } = fixture.server;
    await collections.create(OWNER, 'kept', POD.name);
    await eventually(async () => (await collections.describe(OWNER, 'kept')).state === 'Ready');
    await bound(RECORDS + 40 + 1);
    fixture.holdAt('import');
    const deployment = { ...POD.deployment, sourceCollection: 'kept' };
    const create = (name: string) =>
      fixture.server.collections.createIndex(OWNER, 'kept', { ...POD, name, deployment });
    await assert.rejects(create(POD.name), is('name-taken'));
    assert.equal((await create('one')).state, 'Initializing');
    await assert.rejects(create('two'), BEYOND);
  });
});
