// Guarantees of re-embedding the files of an assistant over HTTP: progress, and 404 where there is none.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type AssistantServer, formOf, startAssistantServer } from '../testing/assistant-server.ts';

const PATH = '/assistant/assistants/notes/reembed';

describe('re-embedding an assistant over HTTP', () => {
  let server: AssistantServer;
  before(async () => {
    server = await startAssistantServer();
    await server.make('notes');
    const body = formOf('a.txt', 'the heron eats fish');
    await server.ended(await server.ask('POST', '/assistant/files/notes', { body }));
  });
  after(() => server.dispose());

  it('responds 404 when none was started, or the assistant is unknown', async () => {
    const never = await server.ask('GET', PATH);
    assert.deepEqual([never.status, never.json.error.code], [404, 'NOT_FOUND']);
    assert.match(never.json.error.message, /No re-embedding of assistant "notes" found/);
    for (const method of ['GET', 'POST']) {
      const missing = await server.ask(method, PATH.replace('notes', 'none'));
      assert.deepEqual([missing.status, missing.json.error.message], [404, 'Assistant "none" not found.']);
    }
  });

  it('responds 202, then 200 with the progress, under both prefixes', async () => {
    server.fixture.inference.setRevision('2');
    const begun = await server.ask('POST', PATH);
    assert.deepEqual([begun.status, begun.json.assistant_name], [202, 'notes']);
    await server.fixture.idle();
    const { status, json } = await server.ask('GET', PATH.replace('/assistant', ''));
    assert.equal(status, 200);
    const { created_at: createdAt, finished_at: finishedAt, ...rest } = json;
    assert.ok(createdAt <= finishedAt);
    assert.deepEqual(rest, {
      assistant_name: 'notes',
      state: 'Completed',
      percent_complete: 100,
      files_remade: 1,
      files_failed: 0,
    });
  });
});
