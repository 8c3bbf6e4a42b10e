// Models in the OpenAI form tell names of assistants only to keys that may list assistants.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { OpenAiServices } from '../../api/rest/openai/openai-endpoint.ts';
import { openAiEndpoints } from '../../api/rest/openai-endpoints.ts';
import type { ApiKeyRole } from '../../domain/administration/roles.ts';
import { fault } from '../../domain/faults.ts';
import { testInference } from '../../inference/testing/test-inference.ts';
import { CREATED_AT } from '../testing/fakes.ts';
import { KEY_A, startTestServer, type TestServer } from '../testing/start-test-server.ts';

const ASSISTANT = { name: 'secret-plan', createdAt: CREATED_AT };

const found = async (_: unknown, name: string) => {
  if (name !== ASSISTANT.name) throw fault('assistant-not-found', { name });
  return ASSISTANT;
};
const services = {
  assistants: {
    list: async () => ({ items: [ASSISTANT], next: null }),
    describe: found,
    ready: found,
  },
  chat: {
    models: async () => ['my-model', 'org/deep/model'],
    direct: async () => undefined,
    answer: async () => ({
      ...{ id: 'c', model: 'm', snippetCount: 0, fileOf: () => undefined },
      parts: (async function* () {
        yield { type: 'text', text: 'Yes.' };
        yield { type: 'end', finishReason: 'stop', usage: { promptTokens: 1, completionTokens: 1 } };
      })(),
    }),
  },
  inference: testInference(),
} as unknown as OpenAiServices;

describe('models in the OpenAI form', () => {
  let server: TestServer;
  before(async () => {
    const settings = { drainSeconds: 1 };
    server = await startTestServer({ settings, openai: openAiEndpoints, openaiServices: services });
  });
  after(() => server.server.stop());

  /** Gives project A's key this role and no other. */
  function setRole(role: ApiKeyRole): void {
    const binding = {
      id: 'binding-a',
      organizationId: 'org',
      principal: { type: 'api_key', id: 'key-a' },
      resourceType: 'project',
      resourceId: 'project-a',
      role,
      createdAt: CREATED_AT,
    } as const;
    server.principals.apply({ kind: 'binding-gone', binding: { ...binding, role: 'ProjectEditor' } });
    server.principals.apply({ kind: 'binding', binding });
  }
  const ask = async (path: string, body?: object) => {
    const headers = { 'api-key': KEY_A, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(`${server.base}/v1/${path}`, { headers, ...sent });
    return { status: answer.status, text: await answer.text() };
  };

  it('list assistants to keys that may list them', async () => {
    setRole('ProjectViewer');
    assert.match((await ask('models')).text, /"assistant\/secret-plan"/);
    assert.match((await ask('models')).text, /"my-model"/);
  });

  it('are described by their ids, with slashes as they are or escaped', async () => {
    setRole('ProjectViewer');
    for (const id of ['my-model', 'org/deep/model', 'assistant/secret-plan']) {
      const answers = [await ask(`models/${id}`), await ask(`models/${encodeURIComponent(id)}`)];
      for (const { status, text } of answers)
        assert.deepEqual([status, (JSON.parse(text) as { readonly id: string }).id], [200, id]);
    }
    for (const id of ['assistant/other', 'org/deep', 'assistant', '']) {
      const { status, text } = await ask(`models/${id}`);
      assert.deepEqual([status, /"error":\{"message":/.test(text)], [404, true], id);
    }
    assert.equal((await ask('models/org/deep/model', {})).status, 405);
  });

  it('list none to keys of the data plane, which chat with those that they know', async () => {
    for (const role of ['DataPlaneEditor', 'DataPlaneViewer'] as const) {
      setRole(role);
      const { status, text } = await ask('models');
      assert.deepEqual([status, /my-model/.test(text), /secret-plan/.test(text)], [200, true, false]);
      assert.match((await ask('models/assistant%2Fsecret-plan')).text, /"owned_by":"assistant"/);
      assert.equal((await ask('models/assistant%2Fother')).status, 404);
      assert.equal((await ask('models/my-model')).status, 200);
      const messages = [{ role: 'user', content: 'Is it so?' }];
      const chat = { model: 'assistant/secret-plan', messages };
      assert.match((await ask('chat/completions', chat)).text, /Yes\./);
    }
  });
});
