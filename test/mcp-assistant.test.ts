// The tools of one assistant at the address that clients of the hosted service use, through the official MCP client.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { AdminService } from './support/admin.ts';
import { createAssistantWithFile } from './support/assistant-with-file.ts';
import { answerOf, call, connectTo, errorOf, namesOf } from './support/mcp-client.ts';
import { API_KEY } from './support/service.ts';

const TOOLS = ['context', 'chat'];
const QUESTION = 'How many days of leave do employees have?';
const ARGUMENTS: Readonly<Record<string, object>> = {
  context: { query: QUESTION },
  chat: { question: QUESTION },
};

let admin: AdminService;

const pathOf = (assistant: string) => `/mcp/assistants/${assistant}`;
const connect = (assistant = 'handbook', key = API_KEY, mode?: 'legacy' | 'auto') =>
  connectTo(new URL(pathOf(assistant), admin.service.url), key, mode);

before(async () => {
  admin = await AdminService.start({ PINYON_MCP: 'write' });
  const leave = { name: 'leave.txt', text: 'Employees have 30 days of leave a year.' };
  await createAssistantWithFile(admin.service, 'handbook', leave);
  const birds = { name: 'birds.txt', text: 'The heron stands in the water and eats fish.' };
  await createAssistantWithFile(admin.service, 'birds', birds);
});
after(() => admin.dispose());

describe('the tools of an assistant', () => {
  for (const mode of ['legacy', 'auto'] as const) {
    it(`find passages and answer, for clients that negotiate ${mode}`, async () => {
      const client = await connect('handbook', API_KEY, mode);
      const { passages } = await answerOf(client, 'context', { query: QUESTION, top_k: 1 });
      assert.match(JSON.stringify(passages), /30 days.*leave\.txt/);
      const history = [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hello' },
      ];
      const { answer, citations } = await answerOf(client, 'chat', { question: QUESTION, history });
      assert.match(String(answer), /30/);
      assert.match(JSON.stringify(citations), /leave\.txt/);
      await client.close();
    });
  }

  it('are listed with guides, closed schemas and hints, and nothing that writes', async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      TOOLS,
    );
    for (const { name, description = '', inputSchema, annotations } of tools) {
      assert.ok(description.length > 60, name);
      assert.equal(inputSchema.additionalProperties, false, name);
      assert.equal(annotations?.readOnlyHint, true, name);
      assert.equal(Object.hasOwn(inputSchema.properties ?? {}, 'assistant'), false, name);
    }
    assert.match(client.getInstructions() ?? '', /one Pinyon assistant/);
    await client.close();
  });

  it('read the files of their own assistant alone', async () => {
    const client = await connect('birds');
    const { passages } = await answerOf(client, 'context', { query: QUESTION });
    assert.match(JSON.stringify(passages), /birds\.txt/);
    assert.doesNotMatch(JSON.stringify(passages), /leave\.txt/);
    const filter = { year: 1 };
    assert.deepEqual((await answerOf(client, 'context', { query: QUESTION, filter })).passages, []);
    await client.close();
  });

  it('answer mistakes with what to do instead', async () => {
    const client = await connect();
    const problems: readonly (readonly [string, object, RegExp])[] = [
      ['context', {}, /query is missing/],
      ['context', { query: 'x', top_k: 1000 }, /top_k must be at most 64, got 1000/],
      ['context', { query: 'x', assistant: 'birds' }, /assistant is unknown \(known: query/],
      ['chat', { question: '' }, /question/],
      ['chat', { question: 'x', filter: { $bad: 1 } }, /\$bad/],
      [
        'assistant_context',
        { assistant: 'birds', question: 'x' },
        /no tool assistant_context.*context, chat/,
      ],
      ['search', { index: 'notes', query: 'x' }, /no tool search/],
    ];
    for (const [name, args, pattern] of problems) {
      assert.match(await errorOf(client, name, args), pattern, `${name} ${JSON.stringify(args)}`);
    }
    await client.close();
  });
});

describe('rights', () => {
  for (const role of ['ProjectEditor', 'ProjectViewer', 'DataPlaneEditor', 'DataPlaneViewer']) {
    it(`let a ${role} call every tool`, async () => {
      const client = await connect('handbook', await admin.keyWith(role));
      assert.deepEqual(await namesOf(client), TOOLS);
      for (const name of TOOLS) await answerOf(client, name, ARGUMENTS[name]);
      await client.close();
    });
  }

  for (const role of ['ControlPlaneEditor', 'ControlPlaneViewer']) {
    it(`show a ${role} no tool`, async () => {
      const client = await connect('handbook', await admin.keyWith(role));
      assert.deepEqual(await namesOf(client), []);
      for (const name of TOOLS)
        assert.match(await errorOf(client, name, ARGUMENTS[name]), /There is no tool/);
      await client.close();
    });
  }

  it('make the assistants of other projects look like unknown ones', async () => {
    const key = await admin.keyOfNewProject();
    const foreign = await connect('handbook', key);
    const absent = await connect('none', key);
    for (const name of TOOLS) {
      const { text, isError } = await call(foreign, name, ARGUMENTS[name]);
      assert.ok(isError);
      assert.match(text, /handbook.*tell the user/);
      assert.equal(text.replaceAll('handbook', 'none'), await errorOf(absent, name, ARGUMENTS[name]), name);
    }
    assert.deepEqual(foreign.getInstructions(), absent.getInstructions());
    await foreign.close();
    await absent.close();
  });

  it('reach no other endpoint by a name with slashes and dots', async () => {
    for (const name of ['..%2F..%2Findexes', '..%2Fhandbook', '%2e%2e%2f', '%3F', 'handbook%2Fcontext%3F']) {
      const client = await connect(name);
      for (const tool of TOOLS) await errorOf(client, tool, ARGUMENTS[tool]);
      await client.close();
    }
  });

  it('end with the key', async () => {
    await assert.rejects(connect('handbook', 'pcsk_wrong_0123456789abcdefghij'));
  });
});

describe('the address of an assistant', () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const post = (headers: Readonly<Record<string, string>>, body: unknown) =>
    fetch(`${admin.service.url}${pathOf('handbook')}`, {
      method: 'POST',
      headers: { 'api-key': API_KEY, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  it('refuses pages of other hosts, batches, other methods and what is too large', async () => {
    assert.equal((await post({}, list)).status, 200);
    assert.equal((await post({ origin: 'http://evil.example' }, list)).status, 403);
    assert.equal((await post({}, [list, list])).status, 400);
    assert.equal((await post({}, { ...list, params: { padding: 'x'.repeat(3 * 2 ** 20) } })).status, 413);
    assert.equal((await post({ 'api-key': 'wrong' }, list)).status, 401);
    const url = `${admin.service.url}${pathOf('handbook')}`;
    assert.equal((await fetch(url, { headers: { 'api-key': API_KEY } })).status, 405);
  });

  it('counts calls by tool and outcome', async () => {
    const headers = { 'api-key': API_KEY };
    const text = await (await fetch(`${admin.service.url}/metrics`, { headers })).text();
    for (const tool of TOOLS) {
      assert.match(text, new RegExp(`pinyon_mcp_calls_total\\{tool="${tool}",outcome="ok"\\} [1-9]`));
    }
  });
});

describe('docs/mcp.md', () => {
  it('shows the address of an assistant in a configuration, and names its tools', () => {
    const page = readFileSync(new URL('../docs/mcp.md', import.meta.url), 'utf8');
    const [, block = '{}'] = /```json\n(\{[^`]*\/mcp\/assistants\/[^`]*)```/.exec(page) ?? [];
    const configuration: unknown = JSON.parse(block);
    assert.match(JSON.stringify(configuration), /mcp\/assistants\/handbook.*Bearer YOUR_API_KEY/);
    for (const name of TOOLS) assert.ok(page.includes(`\`${name}\``), name);
  });
});
