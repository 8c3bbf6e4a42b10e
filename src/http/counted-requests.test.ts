// Quotas count every request with a valid key, also those that are refused before a handler sees them.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { fault } from '../domain/faults.ts';
import { controlEndpoint } from './testing/fakes.ts';
import { KEY_A, startTestServer, type TestServer } from './testing/start-test-server.ts';

const VERSION = '2025-10';
const REFUSED_VERSION = '1999-01';

describe('a quota of requests', () => {
  let server: TestServer;
  let counted: string[] = [];
  let isUsedUp = false;
  before(async () => {
    server = await startTestServer({
      control: [
        controlEndpoint({ id: 'list_things', method: 'GET', path: '/things' }),
        controlEndpoint({
          ...{ id: 'list_secrets', method: 'GET', path: '/secrets' },
          permission: 'admin::api_keys::write',
        }),
      ],
      admitRequest: ({ principalId }) => {
        counted.push(principalId);
        if (isUsedUp) throw fault('rate-exceeded', { max: 1, seconds: 1, what: 'requests per second' });
      },
    });
  });
  after(() => server.server.stop());
  beforeEach(() => {
    counted = [];
    isUsedUp = false;
  });

  const ask = async (path: string, { key = KEY_A, version = VERSION, method = 'GET' } = {}) => {
    const url = path.startsWith('http') ? path : `${server.base}${path}`;
    const headers = { 'api-key': key, 'x-pinecone-api-version': version };
    const answer = await fetch(url, { method, headers });
    await answer.arrayBuffer();
    return answer;
  };
  const all = async () => [
    await ask('/things'),
    await ask('/nothing'),
    await ask(`${server.indexBase}/nothing`),
    await ask('/things', { method: 'DELETE' }),
    await ask('/secrets'),
    await ask('/things', { version: REFUSED_VERSION }),
    await ask('/%ff'),
  ];

  it('counts each once, and leaves the answers within it as they are', async () => {
    const statuses = (await all()).map(({ status }) => status);
    assert.deepEqual(statuses, [200, 404, 404, 405, 403, 400, 400]);
    assert.deepEqual(
      counted,
      statuses.map(() => 'key-a'),
    );
  });

  it('answers all of them with 429 beyond it, under the version that they named', async () => {
    isUsedUp = true;
    const answers = await all();
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [429]);
    assert.equal(answers[1]?.headers.get('x-pinecone-api-version'), VERSION);
  });

  it('counts no request without a valid key', async () => {
    isUsedUp = true;
    assert.equal((await ask('/things', { key: 'wrong' })).status, 401);
    assert.equal((await ask('/nothing', { key: 'wrong' })).status, 401);
    assert.equal((await ask('/health')).status, 200);
    assert.deepEqual(counted, []);
  });
});
