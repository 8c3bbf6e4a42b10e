// Requests that meet each other: the same name made twice at once, an index deleted under its readers, no port left.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { standard } from './support/bodies.ts';
import { call } from './support/call.ts';
import { effort } from './support/effort.ts';
import { API_KEY, SEVERAL_READERS, type Service, startService } from './support/service.ts';
import { until } from './support/until.ts';

const ROUNDS = effort({ daily: 2, long: 20 });
const SPEC = { serverless: { cloud: 'aws', region: 'us-east-1' } };

describe('concurrent requests', () => {
  let service: Service;
  before(async () => {
    service = await startService({ env: SEVERAL_READERS });
  });
  after(() => service.dispose());

  it('let one of many creations of one name succeed, and report conflicts to the others', async () => {
    const body = { name: 'one', dimension: 2, spec: SPEC };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => service.call('POST', '/indexes', { body })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(9).fill(409)]);
    const made = answers.find(({ status }) => status === 201);
    assert.ok(made !== undefined);
    const { host } = made.body as { host: string };
    const vectors = [{ id: 'a', values: [1, 2] }];
    assert.equal(
      (await call(host, 'POST', '/vectors/upsert', { key: API_KEY, body: { vectors } })).status,
      200,
    );
  });

  it('get clean refusals from an index deleted under load, whose name is then free', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const host = await service.createIndex({ name: 'busy', dimension: 2 });
      let deleted = false;
      const outcomes = new Set<number | string>();
      const clients = Array.from({ length: 6 }, async (_, i) => {
        while (!deleted) {
          const vectors = [{ id: `${i}`, values: [1, 2] }];
          const [path, body] =
            i % 2 === 0 ? ['/vectors/upsert', { vectors }] : ['/query', { vector: [1, 2], topK: 1 }];
          const asked = call(host, 'POST', path ?? '', { key: API_KEY, body });
          outcomes.add(
            await asked.then(
              ({ status }) => status,
              ({ code }) => String(code),
            ),
          );
        }
      });
      await until(() => outcomes.has(200), 'an answer');
      assert.equal((await service.call('DELETE', '/indexes/busy')).status, 202);
      await until(async () => (await service.call('GET', '/indexes/busy')).status === 404);
      await sleep(30);
      deleted = true;
      await Promise.all(clients);
      assert.deepEqual([...outcomes].sort(), [200, 404]);
      const again = await service.createIndex({ name: 'busy', dimension: 2 });
      assert.equal(again, host, 'the same name gets its address back');
      const stats = await call(again, 'POST', '/describe_index_stats', { key: API_KEY, body: {} });
      assert.equal((stats.body as { totalVectorCount: number }).totalVectorCount, 0);
      await service.call('DELETE', '/indexes/busy');
      await until(async () => (await service.call('GET', '/indexes/busy')).status === 404);
    }
    assert.equal(service.process.log, '');
  });

  it('lose no change when they configure one index', async () => {
    await service.createIndex({ name: 'tags', dimension: 2 });
    const keys = Array.from({ length: 15 }, (_, i) => `key-${i}`);
    await Promise.all(
      keys.map((key) => service.call('PATCH', '/indexes/tags', { body: { tags: { [key]: 'x' } } })),
    );
    const { body } = await service.call('GET', '/indexes/tags');
    assert.deepEqual(Object.keys((body as { tags: object }).tags).sort(), keys.sort());
  });

  it('get 403 for an index without a free port, until there is one', async () => {
    const { first } = service.ports;
    await service.restart({ env: { PINYON_INDEX_PORTS: `${first}-${first + 3}` } });
    const { body } = await service.call('GET', '/indexes');
    const { length } = (body as { indexes: unknown[] }).indexes;
    for (let i = length; i < 4; i++) await service.createIndex({ name: `fill-${i}`, dimension: 2 });
    const wanted = { name: 'last', dimension: 2, spec: SPEC };
    const refused = await service.call('POST', '/indexes', { body: wanted });
    const { message } = (refused.body as { error: { message: string } }).error;
    assert.deepEqual([refused.status, refused.body], [403, standard(403, 'FORBIDDEN', message)]);
    assert.match(message, /All 4 index ports .* PINYON_INDEX_PORTS/);
    await service.call('DELETE', '/indexes/tags');
    await until(async () => (await service.call('GET', '/indexes/tags')).status === 404);
    await service.createIndex({ name: 'last', dimension: 2 });
  });
});
