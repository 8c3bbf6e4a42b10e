// Guarantees of quotas of writes: for files that are read piece by piece, and for deletes where a project is full.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BulkEndpoint } from '../../api/rest/import-export/bulk-endpoint.ts';
import { QuotaService } from '../../app/quotas/quota-service.ts';
import type { AdministrationStore } from '../../catalog/port.ts';
import { untouched } from '../../platform/testing/untouched.ts';
import { dataEndpoint } from '../testing/fakes.ts';
import { KEY_A, startTestServer } from '../testing/start-test-server.ts';
import { writeAdmission } from '../write-quotas.ts';

const MEGABYTE = 1_000_000;
const NOTHING = { records: 0, storageMegabytes: 0, indexes: 0, files: 0 };

test('a file counts as it arrives, is refused before it begins or never, and has the next writes wait', async (context) => {
  let received = 0;
  const upload: BulkEndpoint = {
    ...dataEndpoint({ id: 'upload_file', method: 'POST', path: '/bulk/file' }),
    fileBytesMax: 100 * MEGABYTE,
    handle: async ({ content }) => {
      for await (const piece of content) received += piece.length;
      return { status: 200, body: {} };
    },
  };
  const write = {
    ...dataEndpoint({ id: 'upsert', method: 'POST', path: '/upsert' }),
    queue: 'write' as const,
  };
  let nowMs = 0;
  const quotas = new QuotaService({
    store: { ...untouched<AdministrationStore['quotas']>(), list: async () => [] },
    defaults: { project: { writeMegabytesPerSecond: 1 }, key: {} },
    usageOf: async () => NOTHING,
    filesOf: async () => 0,
    now: () => nowMs,
  });
  await quotas.load();
  const { server, indexBase } = await startTestServer({
    data: [write],
    bulk: [upload],
    admitBody: writeAdmission(quotas, { data: [write], bulk: [upload] }),
  });
  context.after(() => server.stop());
  const send = async (path: string, bytes: number) => {
    const body = Buffer.alloc(bytes, 'x');
    const { status, headers } = await fetch(`${indexBase}${path}`, {
      method: 'POST',
      headers: { 'api-key': KEY_A },
      body,
    });
    return [status, headers.get('retry-after')];
  };
  assert.deepEqual(await send('/bulk/file', 4 * MEGABYTE), [200, null]);
  assert.equal(received, 4 * MEGABYTE);
  assert.deepEqual(await send('/upsert', 10), [429, '3']);
  assert.deepEqual(await send('/bulk/file', MEGABYTE), [429, '3']);
  assert.equal(received, 4 * MEGABYTE);
  nowMs = 3_001;
  assert.deepEqual(await send('/upsert', 10), [200, null]);
});

test('growth that is refused uses up no rate of writes, so that deletes can make space at once', async (context) => {
  const endpoint = (id: string) => ({
    ...dataEndpoint({ id, method: 'POST', path: `/${id}` }),
    queue: 'write' as const,
  });
  const data = [endpoint('upsert_vectors'), endpoint('delete_vectors')];
  const quotas = new QuotaService({
    store: { ...untouched<AdministrationStore['quotas']>(), list: async () => [] },
    defaults: { project: { records: 10 }, key: { writeMegabytesPerSecond: 1 } },
    usageOf: async () => ({ ...NOTHING, records: 10 }),
    filesOf: async () => 0,
    now: () => 0,
  });
  await quotas.load();
  const { server, indexBase } = await startTestServer({
    data,
    admitBody: writeAdmission(quotas, { data, bulk: [] }),
  });
  context.after(() => server.stop());
  const statusOf = async (path: string, bytes: number) => {
    const body = Buffer.alloc(bytes, 'x');
    return (await fetch(`${indexBase}/${path}`, { method: 'POST', headers: { 'api-key': KEY_A }, body }))
      .status;
  };
  assert.equal(await statusOf('upsert_vectors', 2 * MEGABYTE), 429);
  assert.equal(await statusOf('delete_vectors', 10), 200);
  // What is carried out counts.
  assert.equal(await statusOf('delete_vectors', 2 * MEGABYTE), 200);
  assert.equal(await statusOf('delete_vectors', 10), 429);
});
