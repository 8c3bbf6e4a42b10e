// Guarantees of files over HTTP: responses of old and new versions, lists and filters, replacing, deleting.
import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { eventually } from '../../app/indexes/testing/control-plane.ts';
import { filesOf } from '../testing/assistant-files.ts';
import { type AssistantServer, formOf, startAssistantServer } from '../testing/assistant-server.ts';
import { KEY_B } from '../testing/start-test-server.ts';

const OLD = '2025-10';
/** Sent by the clients before the first published version. */
const UNSTABLE = 'unstable';
const FILES = '/assistant/files/helper';

let server: AssistantServer;
let files: ReturnType<typeof filesOf>;
before(async () => {
  server = await startAssistantServer();
  await server.make('helper');
  files = filesOf(server, 'helper');
});
after(() => server.dispose());

const namesBy = async (filter: unknown) => {
  const { json } = await server.ask('GET', `${FILES}?filter=${encodeURIComponent(JSON.stringify(filter))}`);
  return json.files.map(({ name }: { name: string }) => name).sort();
};

describe('uploads', () => {
  test('return an operation that ends, and a file that can be described throughout', async () => {
    const accepted = await files.upload('new.txt', 'one\ntwo', { kind: 'new', n: 1 });
    assert.equal(accepted.status, 202);
    const { id, file_id: fileId } = accepted.json;
    assert.equal(accepted.headers.get('location'), `/operations/helper/${id}`);
    assert.deepEqual(
      [accepted.json.operation_type, accepted.json.status, accepted.json.percent_complete],
      ['upload_file', 'Processing', 0],
    );
    assert.match((await files.describe(fileId)).json.status, /^(Processing|Available)$/);
    const { json: ended } = await server.ended(accepted);
    assert.deepEqual([ended.status, ended.percent_complete, ended.ingestion_units], ['Completed', 100, 1]);
    assert.ok(Date.parse(ended.completed_on) >= Date.parse(ended.created_on));
    const { json: file } = await files.describe(fileId);
    assert.deepEqual(
      { ...file, created_on: '', updated_on: '' },
      {
        name: 'new.txt',
        id: fileId,
        size: 7,
        metadata: { kind: 'new', n: 1 },
        created_on: '',
        updated_on: '',
        status: 'Available',
        signed_url: null,
        multimodal: false,
        percent_done: 1,
        error_message: null,
      },
    );
  });

  test('return the file before 2026-04, to unstable and without a version, and read metadata from the query', async () => {
    const metadata = encodeURIComponent(JSON.stringify({ kind: 'old' }));
    for (const version of [OLD, UNSTABLE, null]) {
      const body = formOf('old.txt', 'text');
      const sent = await server.ask('POST', `${FILES}?metadata=${metadata}`, { version, body });
      assert.equal(sent.status, 200);
      const { name, metadata: kept, status } = sent.json;
      assert.deepEqual([name, kept, status], ['old.txt', { kind: 'old' }, 'Processing']);
    }
    const both = await server.ask('POST', `${FILES}?metadata=${metadata}`, {
      body: formOf('both.txt', 'text', { kind: 'form', more: true }),
    });
    const { json: file } = await files.describe(both.json.file_id);
    assert.deepEqual(file.metadata, { kind: 'form', more: true });
  });

  test('fail with a reason when they cannot be read, and can be deleted at once', async () => {
    const accepted = await files.upload('blank.txt', '   ');
    const { json: ended } = await server.ended(accepted);
    assert.equal(ended.status, 'Failed');
    assert.equal(typeof ended.error_message, 'string');
    const { file_id: fileId } = accepted.json;
    const { json: file } = await files.describe(fileId, '?include_url=true');
    assert.deepEqual([file.status, file.signed_url], ['ProcessingFailed', null]);
    assert.equal(file.error_message, ended.error_message);
    // The remains of the failure are removed a little later; nothing is left then.
    await server.fixture.idle();
    const deleted = await server.ask('DELETE', `${FILES}/${fileId}`);
    assert.deepEqual([deleted.status, deleted.json.status], [202, 'Completed']);
    assert.equal((await files.describe(fileId)).status, 404);
  });

  test('are refused for other types, invalid ids and unknown assistants', async () => {
    const wrong: readonly [
      Promise<{ status: number; json: { error: { message: string } } }>,
      number,
      RegExp,
    ][] = [
      [files.upload('a.exe', 'MZ'), 400, /not supported.*\.pdf/],
      [files.upload('noextension', 'x'), 400, /not supported/],
      [files.upload('empty.txt', ''), 400, /empty/],
      [files.put('a.b', 'x'), 400, /File ids/],
      [files.put('x'.repeat(129), 'x'), 400, /File ids/],
      [server.ask('POST', `${FILES}?multimodal=true`, { body: formOf('a.txt', 'x') }), 400, /multimodal/],
      [server.ask('POST', `${FILES}?multimodal=maybe`, { body: formOf('a.txt', 'x') }), 400, /multimodal/],
      [server.ask('POST', '/files/nobody', { body: formOf('a.txt', 'x') }), 404, /"nobody" not found/],
      [server.ask('POST', FILES, { body: formOf('a.txt', 'x'), key: KEY_B }), 404, /"helper" not found/],
      [files.upload('a.txt', 'x'.repeat(10_000_001)), 400, /10000000 bytes/],
    ];
    for (const [answer, status, message] of wrong) {
      const refused = await answer;
      assert.equal(refused.status, status, String(message));
      assert.match(refused.json.error.message, message);
    }
  });

  test('drop folders and control characters from names', async () => {
    for (const [sent, kept] of [
      ['../../etc/passwd.txt', 'passwd.txt'],
      ['C:\\docs\\note.txt', 'note.txt'],
      ['a"b\r\nü.txt', 'a"bü.txt'],
      ['\u202etxt.exe\u0007.txt', 'txt.exe.txt'],
    ] as const) {
      const { json } = await files.upload(sent, 'text');
      const { json: file } = await files.describe(json.file_id);
      assert.equal(file.name, kept);
    }
  });
});

describe('lists of files', () => {
  test('have pages since 2026-04, take filters, and never show links', async () => {
    await server.make('shelf');
    for (const [name, metadata] of [
      ['a.txt', { year: 1990, tags: ['x', 'y'] }],
      ['b.txt', { year: 2000, draft: true }],
      ['c.txt', undefined],
    ] as const) {
      await server.ask('POST', '/files/shelf', { body: formOf(name, 'text', metadata) });
    }
    const { json } = await server.ask('GET', '/files/shelf?limit=2');
    assert.equal(json.files.length, 2);
    const next = `/files/shelf?limit=2&pagination_token=${json.pagination.next}`;
    const rest = (await server.ask('GET', next)).json;
    assert.deepEqual([rest.files.length, rest.pagination], [1, undefined]);
    for (const version of [OLD, UNSTABLE]) {
      const old = (await server.ask('GET', '/files/shelf?limit=1', { version })).json;
      assert.deepEqual([old.files.length, old.pagination], [3, undefined]);
      assert.ok(old.files.every((file: { signed_url: unknown }) => file.signed_url === null));
    }
    const by = async (filter: unknown) => {
      const text = encodeURIComponent(JSON.stringify(filter));
      const found = await server.ask('GET', `/files/shelf?filter=${text}`);
      return found.json.files.map(({ name }: { name: string }) => name).sort();
    };
    assert.deepEqual(await by({ year: { $gt: 1995 } }), ['b.txt']);
    assert.deepEqual(await by({ tags: { $in: ['y'] } }), ['a.txt']);
    assert.deepEqual(await by({ $or: [{ draft: true }, { year: 1990 }] }), ['a.txt', 'b.txt']);
    assert.deepEqual(await by({ draft: { $ne: true } }), ['a.txt', 'c.txt']);
    assert.deepEqual(await by({ year: { $exists: false } }), ['c.txt']);
    assert.deepEqual(await by({}), ['a.txt', 'b.txt', 'c.txt']);
    const flat = async (query: string) => {
      const found = await server.ask('GET', `/files/shelf?${query}`, { version: '2025-01' });
      return found.status === 200 ? found.json.files.map(({ name }: { name: string }) => name) : found.status;
    };
    assert.deepEqual(await flat('filter[year]=1990&filter[tags]=x'), ['a.txt']);
    assert.deepEqual(await flat('filter[year][$gt]=1980&filter[year][$lt]=1995'), ['a.txt']);
    assert.deepEqual(await flat('filter[draft]=true'), ['b.txt']);
    assert.deepEqual(await flat('filter[year][$in]=2000&filter[year][$in]=5'), ['b.txt']);
    assert.deepEqual(await flat('filter[draft][$exists]=false'), ['c.txt', 'a.txt']);
    assert.deepEqual(await flat('filter[$or]=[object Object]'), 400);
    assert.deepEqual(await flat('filter[year][$where]=1'), 400);
    assert.deepEqual(await flat('filter[a][b][c]=1'), 400);
  });

  test('reject anything that is not a filter', async () => {
    for (const filter of [
      '{',
      '[]',
      '"x"',
      '{"$where":"1"}',
      '{"a":{"$regex":"x"}}',
      '{"a":null}',
      '{"a":{"$eq":["x"]}}',
      '{"$not":1}',
      `{"a":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}`,
    ]) {
      const { status, json } = await server.ask('GET', `${FILES}?filter=${encodeURIComponent(filter)}`);
      assert.equal(status, 400, filter.slice(0, 60));
      assert.equal(json.error.code, 'INVALID_ARGUMENT');
    }
    assert.deepEqual(await namesBy({ "kind' OR 1=1 --": 'x' }), []);
    assert.deepEqual(await namesBy({ kind: "x' OR '1'='1" }), []);
    assert.equal((await server.ask('GET', `${FILES}?filter={}&filter={}`)).status, 400);
  });

  test('can be narrowed to a type and a state for operations', async () => {
    await server.fixture.idle();
    const list = async (query: string) => (await server.ask('GET', `/operations/helper?${query}`)).json;
    const { operations } = await list('operation_type=upload_file&status=Failed');
    assert.ok(operations.length > 0);
    assert.ok(operations.every((each: { status: string }) => each.status === 'Failed'));
    assert.deepEqual((await list('operation_type=update_file_metadata')).operations, []);
    assert.equal((await list('limit=1')).operations.length, 1);
    for (const bad of ['operation_type=upload', 'status=Done', 'limit=1000']) {
      assert.equal((await server.ask('GET', `/operations/helper?${bad}`)).status, 400, bad);
    }
    assert.equal(
      (await server.ask('GET', '/operations/helper/op-none')).json.error.message,
      'Operation op-none not found.',
    );
  });
});

describe('replacing and deleting', () => {
  test("keeps the owner's id, and shows the old content until the new one is ready", async () => {
    await server.ended(await files.put('mine', 'first', { v: 1 }));
    const again = await files.put('mine', 'second one');
    assert.deepEqual([again.status, again.json.operation_type], [202, 'upsert_file']);
    await server.ended(again);
    const { json: file } = await files.describe('mine');
    assert.deepEqual([file.id, file.size, file.metadata, file.status], ['mine', 10, null, 'Available']);
  });

  test('leaves one whole file of two concurrent uploads under one id', async () => {
    const answers = await Promise.all([
      files.put('contested', 'left\nleft'),
      files.put('contested', 'right'),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [202, 202],
    );
    const ends = await Promise.all(answers.map((each) => server.ended(each)));
    const done = ends.filter(({ json }) => json.status === 'Completed');
    assert.ok(done.length >= 1);
    const { json: file } = await files.describe('contested', '?include_url=true');
    const text = (await server.ask('GET', file.signed_url, { key: null })).json;
    assert.equal(file.size, text.length);
    assert.ok(text === 'left\nleft' || text === 'right');
  });

  test('never makes a file Available again that is deleted while it is processed, and leaves nothing', async () => {
    const parsing = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    server.fixture.beforeParse = async () => {
      begun.resolve();
      await parsing.promise;
    };
    const accepted = await files.upload('slow.txt', 'text');
    await begun.promise;
    const deleted = await server.ask('DELETE', `${FILES}/${accepted.json.file_id}`);
    assert.equal(deleted.status, 202);
    const seen = await files.describe(accepted.json.file_id, '?include_url=true');
    assert.ok(seen.status === 404 || (seen.json.status === 'Deleting' && seen.json.signed_url === null));
    parsing.resolve();
    server.fixture.beforeParse = async () => {};
    assert.equal((await server.ended(deleted)).json.status, 'Completed');
    assert.equal((await server.ended(accepted)).json.status, 'Failed');
    await eventually(async () => (await files.describe(accepted.json.file_id)).status === 404);
  });

  test('responds 200 with an empty body before 2026-04, and 404 for a missing file in every version', async () => {
    await server.ended(await files.put('gone', 'text'));
    const { status, json } = await server.ask('DELETE', `${FILES}/gone`, { version: OLD });
    assert.deepEqual([status, json], [200, '']);
    await eventually(async () => (await files.describe('gone')).status === 404);
    const again = await server.ask('DELETE', `${FILES}/gone`);
    assert.equal(again.status, 404);
    assert.equal(again.json.error.message, 'File with id gone not found in provided assistant');
  });
});

describe('clients before 2026-04, which look for what they have deleted', () => {
  const ask = (method: string, path: string) => server.ask(method, path, { version: OLD });
  /** Holds whatever is deleted until it resolves, however late its job begins. */
  function held({ mock }: Pick<TestContext, 'mock'>) {
    const begun = Date.now();
    mock.method(Date, 'now', () => begun);
    const gate = Promise.withResolvers<void>();
    const waits: number[] = [];
    server.fixture.whileShown = async (ms) => {
      waits.push(ms);
      await gate.promise;
    };
    return { waits, end: gate.resolve };
  }

  test('find a deleted file as Deleting first, also one that went at once, and then no more', async (context) => {
    const failed = await files.upload('void.txt', '   ');
    await server.ended(failed);
    await server.ended(await files.put('shown', 'text'));
    await server.fixture.idle();
    const { waits, end } = held(context);
    const ids = [failed.json.file_id, 'shown'];
    for (const id of ids) {
      assert.deepEqual((await ask('DELETE', `${FILES}/${id}`)).status, 200);
      assert.equal((await ask('GET', `${FILES}/${id}`)).json.status, 'Deleting');
    }
    await eventually(() => waits.length === ids.length);
    for (const id of ids) assert.equal((await ask('GET', `${FILES}/${id}`)).json.status, 'Deleting');
    assert.ok(
      waits.every((ms) => ms > 0 && ms <= 2_000),
      waits.join(),
    );
    end();
    for (const id of ids) await eventually(async () => (await ask('GET', `${FILES}/${id}`)).status === 404);
    await server.fixture.idle();
  });

  test('find a deleted assistant as Terminating first, and its name free then', async (context) => {
    await server.make('brief');
    const { waits, end } = held(context);
    assert.equal((await ask('DELETE', '/assistants/brief')).status, 200);
    await eventually(() => waits.length === 1);
    assert.equal((await ask('GET', '/assistants/brief')).json.status, 'Terminating');
    end();
    await eventually(async () => (await ask('GET', '/assistants/brief')).status === 404);
    await server.make('brief');
  });
});
