// Guarantees of the endpoints for quotas: they keep what was set, in its bounds, and audit it.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { QUOTA_MAX } from '../../../domain/quotas.ts';
import { AdminSurface } from '../testing/admin-client.ts';
import { createApiKey } from './create-api-key.ts';
import { createProject } from './create-project.ts';
import { describeKeyQuota, describeProjectQuota } from './describe-quota.ts';
import { listAuditEntries } from './list-audit-entries.ts';
import { setKeyQuota, setProjectQuota } from './set-quota.ts';

const UNSET = {
  requests_per_second: null,
  write_megabytes_per_second: null,
  records: null,
  storage_megabytes: null,
  indexes: null,
  files: null,
};

describe('endpoints for quotas', () => {
  let surface: AdminSurface;
  let params: { readonly project_id: string };
  before(async () => {
    surface = await AdminSurface.make();
    const { id } = await surface.body<{ id: string }>(createProject, { body: { name: 'Project' } });
    params = { project_id: id };
  });
  after(() => surface.dispose());

  it('show that nothing is bounded by default', async () => {
    const { quota, effective } = await surface.body<{ quota: object; effective: object }>(
      describeProjectQuota,
      { params },
    );
    assert.deepEqual([quota, effective], [UNSET, UNSET]);
  });

  it('keep what was set, replace all of it, and audit it', async () => {
    await surface.call(setProjectQuota, { params, body: { records: 5, indexes: 0 } });
    const kept = await surface.body<{ quota: object; effective: object }>(describeProjectQuota, { params });
    assert.deepEqual(kept.quota, { ...UNSET, records: 5, indexes: 0 });
    assert.deepEqual(kept.effective, { ...UNSET, records: 5 });
    await surface.call(setProjectQuota, { params, body: { requests_per_second: 9, records: null } });
    const replaced = await surface.body<{ quota: object }>(describeProjectQuota, { params });
    assert.deepEqual(replaced.quota, { ...UNSET, requests_per_second: 9 });
    const query = { action: 'project.set_quota' };
    const { data } = await surface.body<{ data: { details: object; resource_id: string }[] }>(
      listAuditEntries,
      { query },
    );
    assert.deepEqual(data[0]?.details, { requestsPerSecond: 9 });
    assert.equal(data[0]?.resource_id, params.project_id);
    assert.equal(data.length, 2);
  });

  it('bound keys by their rates alone', async () => {
    const { key } = await surface.body<{ key: { id: string } }>(createApiKey, {
      params,
      body: { name: 'key' },
    });
    const body = { requests_per_second: 3 };
    const ofKey = { params: { api_key_id: key.id } };
    const { quota } = await surface.body<{ quota: object }>(setKeyQuota, { ...ofKey, body });
    assert.deepEqual(quota, { requests_per_second: 3, write_megabytes_per_second: null });
    await surface.refuses(setKeyQuota, { ...ofKey, body: { records: 5 } }, 'invalid-argument');
    assert.deepEqual((await surface.body<{ quota: object }>(describeKeyQuota, ofKey)).quota, quota);
  });

  it('refuse names that no quota has, which would lift what they were meant to bound', async () => {
    await surface.call(setProjectQuota, { params, body: { records: 5 } });
    await surface.refuses(setProjectQuota, { params, body: { record: 7 } }, 'invalid-argument');
    const { quota } = await surface.body<{ quota: object }>(describeProjectQuota, { params });
    assert.deepEqual(quota, { ...UNSET, records: 5 });
  });

  it('refuse bounds out of range, and projects of others', async () => {
    for (const records of [-1, 0.5, QUOTA_MAX + 1, 'many', true]) {
      await surface.refuses(setProjectQuota, { params, body: { records } }, 'invalid-argument');
    }
    const abroad = { params, as: surface.foreigner, body: { records: 1 } };
    await surface.refuses(setProjectQuota, abroad, 'project-not-found');
    await surface.refuses(describeProjectQuota, abroad, 'project-not-found');
  });
});
