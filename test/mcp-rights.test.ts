// Tools for language models show each caller what it may use, and nothing of other projects.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AdminService } from './support/admin.ts';
import { createAssistantWithFile } from './support/assistant-with-file.ts';
import { answerOf, call, connectTo, namesOf, READERS, WRITERS } from './support/mcp-client.ts';

const EMBED = { model: 'multilingual-e5-large', field_map: { text: 'chunk_text' } };
const NEWEST = { 'x-pinecone-api-version': '2026-07' };
const TOOLS = [...READERS, ...WRITERS];

/** Valid arguments of a tool that name an index or an assistant. */
function argumentsFor(tool: string, name: string): object {
  if (tool.startsWith('list_') && tool !== 'list_records' && tool !== 'list_namespaces') return {};
  if (tool === 'describe_assistant') return { assistant: name };
  if (tool.startsWith('assistant_')) return { assistant: name, question: 'Why?' };
  const more: Readonly<Record<string, object>> = {
    search: { query: 'x' },
    fetch: { ids: ['a'] },
    upsert_records: { records: [{ id: 'a', fields: { chunk_text: 'x' } }] },
    update_record: { id: 'a', set: { year: 1 } },
    delete_records: { ids: ['a'] },
  };
  return { index: name, ...more[tool] };
}

describe('rights to tools for language models', () => {
  let admin: AdminService;
  before(async () => {
    admin = await AdminService.start({ PINYON_MCP: 'write' });
    const { status, text } = await admin.service.call('POST', '/indexes/create-for-model', {
      body: { name: 'notes', cloud: 'aws', region: 'us-east-1', embed: EMBED },
      headers: NEWEST,
    });
    assert.ok(status < 300, text);
    const file = { name: 'leave.txt', text: 'Employees have 30 days of leave a year.' };
    await createAssistantWithFile(admin.service, 'handbook', file);
  });
  after(() => admin.dispose());
  const connect = (key: string) => connectTo(new URL('/mcp', admin.service.url), key);

  /** Without any right to read or write, of data or of what holds it. */
  const HIDDEN: Readonly<Record<string, readonly string[]>> = {
    ProjectEditor: [],
    ProjectViewer: WRITERS,
    DataPlaneEditor: ['list_indexes', 'list_assistants'],
    DataPlaneViewer: ['list_indexes', 'list_assistants', ...WRITERS],
    ControlPlaneEditor: ['list_indexes', 'list_assistants'],
    ControlPlaneViewer: ['list_indexes', 'list_assistants'],
  };

  for (const [role, names] of Object.entries(HIDDEN)) {
    it(`show a ${role} the tools that it may call, and no others`, async () => {
      const key = await admin.keyWith(role);
      const client = await connect(key);
      // Of the control plane's roles, the two lists are all they have.
      const expected = role.startsWith('ControlPlane')
        ? names
        : TOOLS.filter((name) => !names.includes(name));
      assert.deepEqual(await namesOf(client), expected);
      assert.deepEqual(await describedFor(role, key), expected);
      for (const name of TOOLS) {
        const { text, isError } = await call(client, name, argumentsFor(name, 'none'));
        assert.doesNotMatch(text, /Access denied/, name);
        if (!expected.includes(name)) assert.match(text, /There is no tool/);
        else assert.equal(isError, !['list_indexes', 'list_assistants'].includes(name), text);
      }
      await client.close();
    });
  }

  /** The tools that the console shows for a role. */
  async function describedFor(role: string, key: string): Promise<readonly string[]> {
    const { body } = await admin.service.call('GET', '/console/mcp', { key, headers: NEWEST });
    const { tools } = body as { tools: readonly { name: string; offered: boolean; roles: string[] }[] };
    return tools.flatMap(({ name, offered, roles }) => (offered && roles.includes(role) ? [name] : []));
  }

  it('hide the indexes and assistants of other projects from every tool', async () => {
    const client = await connect(await admin.keyOfNewProject());
    for (const name of TOOLS) {
      const foreign = await call(
        client,
        name,
        argumentsFor(name, name.includes('assistant') ? 'handbook' : 'notes'),
      );
      const absent = await call(client, name, argumentsFor(name, 'none'));
      assert.equal(foreign.text.replaceAll(/handbook|notes/g, 'none'), absent.text, name);
    }
    assert.deepEqual((await answerOf(client, 'list_indexes')).indexes, []);
    await client.close();
  });

  it('end with the key', async () => {
    await assert.rejects(connect('pcsk_wrong_0123456789abcdefghij'));
  });
});
