// Which undos an index takes on.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Catalog } from '../../catalog/port.ts';
import { openCatalog } from '../../catalog/sqlite/open-catalog.ts';
import type { Index } from '../../domain/index-model.ts';
import { CAPABILITIES } from '../../engine/embedded/storage/capabilities.ts';
import type { IndexHistory } from '../../engine/port/index-history.ts';
import type { VectorReader } from '../../engine/port/reader-and-writer.ts';
import { untouched } from '../../platform/testing/untouched.ts';
import { NEW_INDEX, OWNER } from '../indexes/testing/control-plane.ts';
import { HistoryService } from './history-service.ts';

const INDEX: Index = {
  ...NEW_INDEX,
  ...{ id: 'index-1', projectId: 'project-1', state: 'Ready', port: null, createdAt: '' },
};
const WINDOW = { fromLsn: 1, fromMs: 0, toLsn: 9, bytes: 0, changes: 0 };

describe('undos', () => {
  let catalog: Catalog;
  let index = INDEX;
  let service: HistoryService;

  beforeEach(async () => {
    catalog = await openCatalog({ path: ':memory:' });
    index = INDEX;
    const { jobs } = catalog;
    service = new HistoryService({
      catalog,
      jobs: { enqueue: (job) => jobs.insert(job) },
      aliases: { shared: () => undefined },
      indexes: { describe: async () => index },
      engine: {
        capabilities: CAPABILITIES,
        history: () => ({ ...untouched<IndexHistory>(), describe: async () => WINDOW }),
        reader: () => ({ ...untouched<VectorReader>(), lsn: async () => 9 }),
      },
    });
  });
  afterEach(() => catalog.close());

  const undo = (namespace: string | null, lsn: number) =>
    service.undo(OWNER, INDEX.name, { namespace, to: { lsn } });

  it('are refused while vectors are made anew', async () => {
    const source = { provider: 'test', revision: '1' };
    const embed = { model: 'm', textField: 'text', writeParameters: {}, readParameters: {}, source };
    index = { ...INDEX, embed: { ...embed, remaking: source } };
    await assert.rejects(undo('n', 3), /are being made anew/);
    index = { ...INDEX, embed: { ...embed, remaking: null } };
    assert.equal((await undo('n', 3)).state, 'Pending');
  });

  it('that are asked for again while they have vectors made anew are answered as the first time', async () => {
    const first = await undo('n', 3);
    const source = { provider: 'test', revision: '1' };
    const embed = { model: 'm', textField: 'text', writeParameters: {}, readParameters: {}, source };
    index = { ...INDEX, embed: { ...embed, remaking: source } };
    assert.deepEqual(await undo('n', 3), first);
    await assert.rejects(undo('n', 4), /another undo of the index is under way/);
    assert.equal((await catalog.jobs.active({})).length, 1);
  });

  it('that are asked for at once are one where they are the same, and one of them is refused otherwise', async () => {
    const [one, same] = await Promise.all([undo('n', 3), undo('n', 3)]);
    assert.deepEqual(one, same);
    assert.equal((await catalog.jobs.active({})).length, 1);
    await assert.rejects(undo('n', 4), /another undo of the index is under way/);
    const [{ id } = assert.fail('no job')] = await catalog.jobs.active({});
    await catalog.jobs.claim({ owner: 'me', kinds: ['undo'], now: '2026', leaseUntil: '9999' });
    await catalog.jobs.release(id, 'me', { kind: 'completed' }, '2026-01-01T00:00:00.000Z');
    const ended = await Promise.allSettled([undo('n', 5), undo('m', 5)]);
    assert.deepEqual(ended.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  });
});
