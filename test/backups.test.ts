// Backups and restores with SDK 9: the real program, its storage, and its restarts.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Pinecone } from '@pinecone-database/pinecone';
import { plain } from './support/plain.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { found, until } from './support/until.ts';

const RECORDS = 2_500;
const DIMENSION = 8;

interface Backup {
  readonly backupId: string;
  readonly status: string;
}

describe('backups with SDK 9', () => {
  let service: Service;
  let pinecone: Pinecone;

  before(async () => {
    service = await startService();
    pinecone = new Pinecone({ apiKey: API_KEY, controllerHostUrl: service.url });
  });
  after(() => service.dispose());

  async function filled(name: string): Promise<void> {
    await pinecone.createIndex({
      name,
      dimension: DIMENSION,
      metric: 'euclidean',
      spec: { serverless: { cloud: 'aws', region: 'us-east-1' } },
      tags: { team: 'search' },
      waitUntilReady: true,
    });
    const records = Array.from({ length: RECORDS }, (_, at) => recordOf(at));
    for (let first = 0; first < RECORDS; first += 500) {
      const index = pinecone.index({ name, namespace: first < 2_000 ? 'many' : 'few' });
      await index.upsert({ records: records.slice(first, first + 500) });
    }
  }

  async function settled(backupId: string): Promise<Backup> {
    return await found(async () => {
      const backup = await pinecone.describeBackup(backupId);
      return backup.status === 'Initializing' ? undefined : backup;
    }, 'the backup');
  }

  async function ready(name: string): Promise<void> {
    await until(async () => (await pinecone.describeIndex(name)).status.state !== 'Initializing');
    assert.equal((await pinecone.describeIndex(name)).status.state, 'Ready');
  }

  it('backs up an index while it is written, and restores it whole, even after a restart', async () => {
    await filled('books');
    const made = await pinecone.createBackup({ indexName: 'books', name: 'first', description: 'all of it' });
    assert.equal(made.status, 'Initializing');
    const writing = pinecone.index({ name: 'books', namespace: 'late' }).upsert({ records: [recordOf(1)] });
    const backup = await settled(made.backupId);
    await writing;
    const {
      recordCount,
      namespaceCount,
      sizeBytes = 0,
      tags,
      name,
      description,
    } = await pinecone.describeBackup(made.backupId);
    assert.equal(backup.status, 'Ready');
    // The late record is in it whole, with its namespace, or not at all.
    assert.ok([RECORDS, RECORDS + 1].includes(recordCount ?? 0));
    assert.equal(namespaceCount, recordCount === RECORDS ? 2 : 3);
    assert.ok(sizeBytes > RECORDS * DIMENSION);
    assert.deepEqual([tags, name, description], [{ team: 'search' }, 'first', 'all of it']);

    await service.restart();
    pinecone = new Pinecone({ apiKey: API_KEY, controllerHostUrl: service.url });
    await pinecone.deleteIndex('books');
    await until(async () => ((await pinecone.listIndexes()).indexes ?? []).length === 0);
    const begun = await pinecone.createIndexFromBackup({
      backupId: made.backupId,
      name: 'again',
      tags: { a: 'b' },
    });
    await ready('again');
    const job = await pinecone.describeRestoreJob(begun.restoreJobId);
    assert.deepEqual(
      [job.status, job.backupId, job.targetIndexName, job.targetIndexId, job.percentComplete],
      ['Completed', made.backupId, 'again', begun.indexId, 100],
    );
    const { totalRecordCount } = await pinecone.index({ name: 'again' }).describeIndexStats();
    assert.equal(totalRecordCount, recordCount);
    const index = pinecone.index({ name: 'again', namespace: 'many' });
    const { records } = await index.fetch({ ids: ['id-7', 'id-1999'] });
    assert.deepEqual(plain(records['id-1999']), plain(recordOf(1_999)));
    const { matches } = await index.query({
      vector: recordOf(7).values,
      topK: 1,
      filter: { at: { $lt: 10 } },
    });
    assert.equal(matches[0]?.id, 'id-7');
    const again = await pinecone.describeIndex('again');
    assert.deepEqual([again.tags, again.sourceBackupId], [{ a: 'b' }, made.backupId]);
    const left = await pinecone.describeBackup(made.backupId);
    assert.ok(left.sourceIndexDeletedAt instanceof Date);
    // Both are indexes in their own right from here on.
    await index.upsert({ records: [recordOf(5_000)] });
    await pinecone.deleteBackup(made.backupId);
    await assert.rejects(pinecone.describeBackup(made.backupId), { name: 'PineconeNotFoundError' });
    assert.deepEqual(Object.keys((await index.fetch({ ids: ['id-5000'] })).records), ['id-5000']);
  });

  it('lists page by page, and maps refusals to its error classes', async () => {
    await filled('maps');
    const ids: string[] = [];
    for (let at = 0; at < 3; at += 1) {
      const { backupId } = await pinecone.createBackup({ indexName: 'maps' });
      await settled(backupId);
      ids.unshift(backupId);
    }
    const first = await pinecone.listBackups({ indexName: 'maps', limit: 2 });
    const paginationToken = first.pagination?.next ?? '';
    const rest = await pinecone.listBackups({ indexName: 'maps', limit: 2, paginationToken });
    assert.deepEqual(
      [...(first.data ?? []), ...(rest.data ?? [])].map(({ backupId }) => backupId),
      ids,
    );
    assert.equal(rest.pagination?.next, undefined);
    const [backupId = ''] = ids;
    await assert.rejects(pinecone.createIndexFromBackup({ backupId, name: 'maps' }), {
      name: 'PineconeConflictError',
    });
    await assert.rejects(pinecone.createBackup({ indexName: 'nothing' }), { name: 'PineconeNotFoundError' });
    await assert.rejects(pinecone.createBackup({ indexName: 'maps', name: 'Bad Name' }), {
      name: 'PineconeBadRequestError',
    });
    const jobs = await pinecone.listRestoreJobs({ limit: 1 });
    assert.ok(jobs.data.every(({ status }) => status === 'Completed'));
  });

  it('resumes a backup and a restore after a kill', async () => {
    const [earlier] = (await pinecone.listBackups({ indexName: 'maps' })).data ?? [];
    const { backupId } = await pinecone.createBackup({ indexName: 'maps' });
    const { restoreJobId } = await pinecone.createIndexFromBackup({
      backupId: earlier?.backupId ?? '',
      name: 'survivor',
    });
    await service.kill();
    await service.start();
    pinecone = new Pinecone({ apiKey: API_KEY, controllerHostUrl: service.url });
    assert.equal((await settled(backupId)).status, 'Ready');
    await ready('survivor');
    assert.equal((await pinecone.describeRestoreJob(restoreJobId)).status, 'Completed');
    const stats = await pinecone.index({ name: 'survivor' }).describeIndexStats();
    assert.equal(stats.totalRecordCount, RECORDS);
  });
});

function recordOf(at: number) {
  const values = Array.from({ length: DIMENSION }, (_, place) => ((at * 31 + place * 17) % 1_000) / 8 + 1);
  return { id: `id-${at}`, values, metadata: { at, text: `record ${at}` } };
}
