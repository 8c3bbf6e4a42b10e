// Ring 3: behind a proxy that ends TLS, one setting makes every address right, and another names the real clients.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AdminService } from './support/admin.ts';
import { API_KEY } from './support/service.ts';
import { until } from './support/until.ts';

const CLIENT = '203.0.113.7';

describe('behind a proxy that ends TLS', () => {
  let admin: AdminService;
  before(async () => {
    admin = await AdminService.start({
      PINYON_PUBLIC_URL: 'https://vectors.test',
      PINYON_TRUSTED_PROXIES: '127.0.0.0/8',
    });
  });
  after(() => admin.dispose());

  it('serves each index under the public host name, on the base port', async () => {
    const host = await admin.service.createIndex({ name: 'books', dimension: 2, metric: 'cosine' });
    assert.match(host, /^https:\/\/books-[a-z0-9]{7}\.vectors\.test$/);
    const headers = { host: new URL(host).host, 'x-forwarded-for': CLIENT };
    const vectors = [{ id: 'a', values: [1, 0] }];
    const upserted = await admin.service.call('POST', '/vectors/upsert', { headers, body: { vectors } });
    assert.equal(upserted.status, 200);
    const found = await admin.service.call('POST', '/query', { headers, body: { vector: [1, 0], topK: 1 } });
    assert.match(found.text, /"id":"a"/);
  });

  it('names the client that the proxy speaks for in the audit log', async () => {
    const headers = { 'x-forwarded-for': `198.51.100.1, ${CLIENT}` };
    const refused = await admin.service.call('GET', '/indexes', { key: `${API_KEY}-wrong`, headers });
    assert.equal(refused.status, 401);
    await until(async () => {
      const { text } = await admin.call('GET', '/audit-log?outcome=denied');
      return text.includes(`"address":"${CLIENT}"`);
    }, 'the audit log names the client');
  });
});
