// PATCH with null, empty texts and empty objects: what docs/updates.md says of each field.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Service, startService } from './support/service.ts';

type Body = Readonly<Record<string, unknown>>;

describe('an update', () => {
  let service: Service;
  before(async () => {
    service = await startService();
    await service.createIndex({ name: 'films', dimension: 2 });
    await service.call('PATCH', '/indexes/films', { body: { tags: { a: '1', b: '2' } } });
    const body = { name: 'helper', instructions: 'Be brief.', metadata: { a: 1 } };
    await service.call('POST', '/assistant/assistants', { body });
  });
  after(() => service.dispose());

  const patch = async (path: string, body: Body) => {
    const answer = await service.call('PATCH', path, { version: '2026-07', body });
    return { status: answer.status, body: answer.body as Body };
  };

  it('keeps what is null or absent', async () => {
    for (const body of [
      {},
      { tags: null, deletion_protection: null, read_capacity: null, deployment: null, schema: null },
      { tags: {} },
      { spec: {}, embed: null },
    ]) {
      const { status, body: index } = await patch('/indexes/films', body);
      assert.deepEqual([status, index.tags], [200, { a: '1', b: '2' }], JSON.stringify(body));
      assert.equal(index.deletion_protection, 'disabled');
    }
    for (const body of [{}, { instructions: null, metadata: null, region: null }]) {
      const { status, body: assistant } = await patch('/assistant/assistants/helper', body);
      assert.deepEqual([status, assistant.instructions, assistant.metadata], [200, 'Be brief.', { a: 1 }]);
    }
  });

  it('clears with an empty text or object where a field can be empty', async () => {
    assert.deepEqual((await patch('/indexes/films', { tags: { a: '' } })).body.tags, { b: '2' });
    const path = '/assistant/assistants/helper';
    assert.equal((await patch(path, { instructions: '' })).body.instructions, '');
    assert.deepEqual((await patch(path, { metadata: {} })).body.metadata, {});
  });

  it('is refused with an empty value of another field', async () => {
    for (const [path, body, status] of [
      ['/indexes/films', { deletion_protection: '' }, 400],
      ['/indexes/films', { tags: { b: null } }, 422],
      ['/indexes/films', { tags: '' }, 422],
      ['/indexes/films', { read_capacity: {} }, 422],
      ['/indexes/films', { schema: {} }, 422],
      ['/indexes/films', { embed: {} }, 400],
      ['/assistant/assistants/helper', { region: '' }, 400],
      ['/assistant/assistants/helper', { metadata: '' }, 400],
      ['/assistant/assistants/helper', { instructions: {} }, 400],
    ] as const) {
      assert.equal((await patch(path, body)).status, status, JSON.stringify(body));
    }
  });
});
