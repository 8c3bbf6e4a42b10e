// Guarantees of assistants over HTTP: both prefixes, old and new versions, what is refused, and who sees what.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../../app/indexes/testing/control-plane.ts';
import { type AssistantServer, formOf, startAssistantServer } from '../testing/assistant-server.ts';
import { KEY_B } from '../testing/start-test-server.ts';

const OLD = '2025-10';

let server: AssistantServer;
before(async () => {
  server = await startAssistantServer();
});
after(() => server.dispose());

const create = (body: unknown, key?: string) =>
  server.ask('POST', '/assistant/assistants', { body, ...(key !== undefined && { key }) });

describe('assistants', () => {
  test('are Initializing when created, with everything that was given, and Ready soon after', async () => {
    const given = {
      name: 'maker',
      instructions: 'Be brief.',
      metadata: { a: [1, { b: null }] },
      region: 'eu',
    };
    const { status, json } = await create(given);
    assert.equal(status, 200);
    assert.deepEqual(
      { ...json, created_at: '', updated_at: '' },
      { ...given, status: 'Initializing', host: 'http://the-host:1', created_at: '', updated_at: '' },
    );
    await eventually(async () => (await server.ask('GET', '/assistants/maker')).json.status === 'Ready');
  });

  test('take files and show operations as soon as their creation returns', async () => {
    await create({ name: 'young' });
    const accepted = await server.ask('POST', '/files/young', { body: formOf('a.txt', 'mole') });
    assert.equal(accepted.status, 202);
    assert.equal((await server.ended(accepted)).json.status, 'Completed');
    assert.deepEqual((await create({ name: 'younger' })).json.status, 'Initializing');
    assert.deepEqual((await server.ask('GET', '/operations/younger')).json, { operations: [] });
  });

  test('are served with and without the prefix at each path', async () => {
    await server.make('twice');
    for (const path of ['/assistants', '/assistants/twice', '/files/twice', '/operations/twice']) {
      const [one, other] = [await server.ask('GET', path), await server.ask('GET', `/assistant${path}`)];
      assert.equal(one.status, 200, path);
      assert.deepEqual(one.json, other.json);
    }
    const { status, headers } = await server.ask('PUT', '/assistants/twice');
    assert.deepEqual([status, headers.get('allow')], [405, 'GET, PATCH, DELETE']);
  });

  test('refuse invalid requests with a message, and create nothing', async () => {
    const long = 'x'.repeat(16_385);
    const wrong: readonly [unknown, RegExp][] = [
      [{ name: 'two words' }, /Invalid assistant name/],
      [{ name: 'a'.repeat(64) }, /Invalid assistant name/],
      [{ name: '../x' }, /Invalid assistant name/],
      [{ name: 7 }, /Invalid assistant name/],
      [{}, /Invalid assistant name/],
      [[], /JSON object/],
      [{ name: 'fine', region: 'mars' }, /us, eu/],
      [{ name: 'fine', region: 5 }, /region/],
      [{ name: 'fine', instructions: long }, /16384/],
      [{ name: 'fine', instructions: {} }, /instructions/],
      [{ name: 'fine', metadata: { long } }, /16384/],
      [{ name: 'fine', metadata: 'text' }, /object/],
      [{ name: 'fine', environment: 'prod' }, /environment/],
    ];
    for (const [body, message] of wrong) {
      const { status, json } = await create(body);
      assert.equal(status, 400, JSON.stringify(body).slice(0, 80));
      assert.equal(json.error.code, 'INVALID_ARGUMENT');
      assert.match(json.error.message, message);
    }
    assert.equal((await server.ask('GET', '/assistants/fine')).status, 404);
    assert.equal((await server.ask('POST', '/assistants')).status, 400);
  });

  test('have a name unique in their project, and are invisible to other projects', async () => {
    await server.make('same');
    assert.equal((await create({ name: 'same' })).status, 409);
    assert.equal((await server.ask('GET', '/assistants/same', { key: KEY_B })).status, 404);
    await server.ask('POST', '/files/same', { body: formOf('a.txt', 'secret') });
    for (const [method, path] of [
      ['GET', '/assistants/same'],
      ['PATCH', '/assistants/same'],
      ['DELETE', '/assistants/same'],
      ['GET', '/files/same'],
      ['GET', '/operations/same'],
    ] as const) {
      const { status, json } = await server.ask(method, path, { key: KEY_B });
      assert.equal(status, 404, `${method} ${path}`);
      assert.equal(json.error.message, 'Assistant "same" not found.');
    }
    assert.equal((await create({ name: 'same' }, KEY_B)).status, 200);
    await eventually(
      async () => (await server.ask('GET', '/assistants/same', { key: KEY_B })).json.status === 'Ready',
    );
    assert.deepEqual((await server.ask('GET', '/files/same', { key: KEY_B })).json, { files: [] });
  });

  test('have names distinct by case, each with its own fields and files, at every path', async () => {
    const names = ['Test_Assistant-Ab3', 'test_assistant-ab3', '_-'];
    for (const name of names) {
      await server.make(name);
      const accepted = await server.ask('POST', `/files/${name}`, { body: formOf(`${name}.txt`, 'mole') });
      assert.equal((await server.ended(accepted)).json.status, 'Completed');
    }
    for (const name of names) {
      assert.equal((await server.ask('GET', `/assistant/assistants/${name}`)).json.name, name);
      const { files } = (await server.ask('GET', `/files/${name}`)).json;
      assert.deepEqual(
        files.map((file: { readonly name: string }) => file.name),
        [`${name}.txt`],
      );
    }
    assert.equal((await create({ name: 'Test_Assistant-Ab3' })).status, 409);
    assert.equal((await server.ask('GET', '/assistants/TEST_ASSISTANT-AB3')).status, 404);
    await server.ask('DELETE', '/assistants/Test_Assistant-Ab3');
    await eventually(async () => (await server.ask('GET', '/assistants/Test_Assistant-Ab3')).status === 404);
    assert.equal((await server.ask('GET', '/files/test_assistant-ab3')).json.files.length, 1);
  });

  test('change in the named fields only, keep those given as null, and show the name twice', async () => {
    const body = { name: 'changed', instructions: 'one', metadata: { a: 1, b: 2 }, region: 'eu' };
    await create(body);
    const patch = (change: unknown) => server.ask('PATCH', '/assistants/changed', { body: change });
    const first = (await patch({ metadata: { c: 3 }, region: 'us' })).json;
    assert.equal(first.assistant_name, 'changed');
    assert.deepEqual(
      [first.name, first.instructions, first.metadata, first.region],
      ['changed', 'one', { c: 3 }, 'eu'],
    );
    const second = (await patch({ instructions: 'two', metadata: null, region: null })).json;
    assert.deepEqual([second.instructions, second.metadata], ['two', { c: 3 }]);
    assert.equal((await patch({ instructions: null, metadata: {} })).json.instructions, 'two');
    assert.equal((await patch({ instructions: '' })).json.instructions, '');
    assert.equal((await patch({})).status, 200);
    for (const bad of [{ region: 'x' }, { instructions: 1 }, { metadata: [] }]) {
      assert.equal((await patch(bad)).status, 400);
    }
    assert.equal((await server.ask('PATCH', '/assistants/nobody', { body: {} })).status, 404);
    const now = (await server.ask('GET', '/assistants/changed')).json;
    assert.deepEqual([now.instructions, now.metadata, now.region], ['', {}, 'eu']);
  });

  test('are listed in pages since 2026-04, and all at once before', async () => {
    for (let at = 0; at < 3; at++) await create({ name: `listed-${at}` });
    const first = (await server.ask('GET', '/assistants?limit=2')).json;
    assert.equal(first.assistants.length, 2);
    const names = new Set<string>();
    for (let token = ''; ; ) {
      const { json } = await server.ask('GET', `/assistants?limit=2&pagination_token=${token}`);
      for (const { name } of json.assistants) names.add(name);
      if (json.pagination === undefined) break;
      token = json.pagination.next;
    }
    const all = await server.ask('GET', '/assistants?limit=2', { version: OLD });
    assert.equal(all.json.pagination, undefined);
    assert.deepEqual(names, new Set(all.json.assistants.map(({ name }: { name: string }) => name)));
    for (const bad of ['limit=0', 'limit=101', 'limit=x', 'pagination_token=made-up']) {
      assert.equal((await server.ask('GET', `/assistants?${bad}`)).status, 400, bad);
    }
    const foreign = `/operations/twice?pagination_token=${first.pagination.next}`;
    assert.equal((await server.ask('GET', foreign)).status, 400);
  });

  test('are Terminating or gone once deleted, with their files, and free their name', async () => {
    await server.make('goer');
    await server.ended(await server.ask('POST', '/files/goer', { body: formOf('a.txt', 'text') }));
    const { status, json } = await server.ask('DELETE', '/assistants/goer');
    assert.deepEqual([status, json], [200, '']);
    const seen = await server.ask('GET', '/assistants/goer');
    assert.ok(seen.status === 404 || seen.json.status === 'Terminating');
    assert.equal((await server.ask('GET', '/files/goer')).status, 404);
    await eventually(async () => (await server.ask('GET', '/assistants/goer')).status === 404);
    await server.make('goer');
    assert.deepEqual((await server.ask('GET', '/files/goer')).json.files, []);
  });
});
