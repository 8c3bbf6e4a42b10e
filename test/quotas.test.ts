// Quotas over the wire: by settings and by administrators, refused by the documented codes, kept over a restart.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AdminService, OWNER } from './support/admin.ts';
import { call } from './support/call.ts';
import { API_KEY } from './support/service.ts';
import { until } from './support/until.ts';

const VERSION = '2025-10';

describe('quotas', () => {
  let admin: AdminService;
  let project: string;
  let host: string;
  before(async () => {
    admin = await AdminService.start({ PINYON_PROJECT_INDEXES_MAX: '1' });
    const { data } = await admin.body<{ data: { id: string }[] }>('GET', '/projects');
    project = data[0]?.id ?? '';
    host = ((await createIndex('films')).body as { readonly host: string }).host;
  });
  after(() => admin.dispose());

  const createIndex = (name: string) => {
    const spec = { serverless: { cloud: 'aws', region: 'us-east-1' } };
    const body = { name, dimension: 2, metric: 'cosine', spec };
    return admin.service.call('POST', '/indexes', { body, version: VERSION });
  };
  const setQuota = (body: object) => admin.body('PUT', `/projects/${project}/quota`, { body });
  const upsert = (key = API_KEY) => {
    const body = { vectors: [{ id: `${Math.random()}`, values: [1, 0] }] };
    return call(host, 'POST', '/vectors/upsert', { key, version: VERSION, body });
  };
  const codeOf = ({ body }: { readonly body: unknown }) =>
    (body as { readonly error?: { readonly code: string } }).error?.code;

  it('refuse indexes beyond the number of the settings, until an administrator lifts it', async () => {
    const refused = await createIndex('songs');
    assert.deepEqual([refused.status, codeOf(refused)], [429, 'QUOTA_EXCEEDED']);
    await setQuota({ indexes: 2 });
    assert.equal((await createIndex('songs')).status, 201);
    assert.equal((await createIndex('books')).status, 429);
  });

  it('refuse a branch of a project whose branches show all the records it may have', async () => {
    const vectors = Array.from({ length: 900 }, (_, i) => ({ id: `r${i}`, values: [1, i] }));
    const body = { namespace: 'drama', vectors };
    assert.equal(
      (await call(host, 'POST', '/vectors/upsert', { key: API_KEY, version: VERSION, body })).status,
      200,
    );
    await setQuota({ records: 1_800, indexes: 2 });
    const branch = (name: string) =>
      admin.service.call('POST', '/indexes/films/branches', {
        body: { source: 'drama', name },
        version: VERSION,
      });
    const made = await branch('one');
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const refused = await branch('two');
    assert.deepEqual([refused.status, codeOf(refused)], [429, 'QUOTA_EXCEEDED']);
    const { usage } = await admin.body<{ usage: { records: number } }>('GET', `/projects/${project}/quota`);
    assert.equal(usage.records, 1_800);
    await setQuota({});
  });

  it('refuse requests of a key beyond its rate, with retry-after, and not those of others', async () => {
    const key = await admin.keyWith('ProjectEditor');
    const { data } = await admin.body<{ data: { id: string; name: string }[] }>(
      'GET',
      `/projects/${project}/api-keys`,
    );
    const id = data.find(({ name }) => name === 'ProjectEditor')?.id;
    await admin.body('PUT', `/api-keys/${id}/quota`, { body: { requests_per_second: 1 } });
    // Many more at once than a second of a machine that stands still would let pass.
    const answers = await Promise.all(Array.from({ length: 20 }, () => upsert(key)));
    const refused = answers.find(({ status }) => status === 429);
    assert.ok(Number(refused?.headers['retry-after']) >= 1, 'one of them is refused');
    assert.equal((await upsert()).status, 200);
    await until(async () => (await upsert(key)).status === 200, 'the key may send again');
    const { text } = await call(admin.service.url, 'GET', '/metrics', {
      headers: { authorization: `Bearer ${API_KEY}` },
    });
    assert.match(text, /^pinyon_quota_refusals_total\{quota="requestsPerSecond"\} \d+$/m);
  });

  it('refuse restores of a project that has all the records it may have', async () => {
    const control = (path: string, body: object) =>
      admin.service.call('POST', path, { body, version: VERSION });
    await setQuota({});
    assert.equal((await upsert()).status, 200);
    const made = await control('/indexes/films/backups', { name: 'copy' });
    const id = (made.body as { readonly backup_id: string }).backup_id;
    await setQuota({ records: 1, indexes: 9 });
    await until(async () => (await upsert()).status === 429, 'the records are counted');
    let refused = made;
    await until(async () => {
      refused = await control(`/backups/${id}/create-index`, { name: 'restored' });
      return codeOf(refused) !== 'FAILED_PRECONDITION';
    }, 'the backup is made');
    assert.deepEqual([refused.status, codeOf(refused)], [429, 'QUOTA_EXCEEDED']);
  });

  it('refuse records beyond a number, let others be deleted, and hold after a restart', async () => {
    await setQuota({ records: 1 });
    await until(async () => (await upsert()).status === 429, 'the records are counted');
    const refused = await upsert();
    assert.deepEqual([refused.status, codeOf(refused)], [429, 'QUOTA_EXCEEDED']);
    await admin.service.restart();
    assert.equal((await upsert()).status, 429);
    const all = { key: API_KEY, version: VERSION, body: { deleteAll: true } };
    assert.equal((await call(host, 'POST', '/vectors/delete', all)).status, 200);
  });
});

describe('the quota of keys of the settings', () => {
  let admin: AdminService;
  before(async () => {
    admin = await AdminService.start({ PINYON_KEY_REQUESTS_PER_SECOND: '1' });
  });
  after(() => admin.dispose());

  const session = async (body: object) => {
    const {
      status,
      headers,
      body: answer,
    } = await call(admin.service.url, 'POST', '/console/session', { body });
    assert.equal(status, 200);
    const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
    return { cookie, 'x-pinyon-session': (answer as { readonly token: string }).token };
  };
  const isRefused = async (signIn: object) => {
    const headers = await session(signIn);
    const many = Array.from({ length: 20 }, () => call(admin.service.url, 'GET', '/indexes', { headers }));
    return (await Promise.all(many)).some(({ status }) => status === 429);
  };

  it('bounds sessions of keys in the console, and not those of others, whom nobody can give a quota', async () => {
    assert.equal(await isRefused({ client_id: OWNER.clientId, client_secret: OWNER.clientSecret }), false);
    assert.equal(await isRefused({ api_key: API_KEY }), true);
  });
});
