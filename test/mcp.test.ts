// Tools for language models, through the official MCP client, over HTTP in both generations of the protocol.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { AdminService } from './support/admin.ts';
import { createAssistantWithFile } from './support/assistant-with-file.ts';
import { Connection } from './support/connection.ts';
import {
  answerOf,
  call,
  connectTo,
  errorOf,
  idsOf,
  namesOf,
  READERS,
  WRITERS,
} from './support/mcp-client.ts';
import { API_KEY } from './support/service.ts';

const EMBED = { model: 'multilingual-e5-large', field_map: { text: 'chunk_text' } };
const NEWEST = { 'x-pinecone-api-version': '2026-07' };
const TOOLS = [...READERS, ...WRITERS];

let admin: AdminService;

function connect(key = API_KEY, mode?: 'legacy' | 'auto'): Promise<Client> {
  return connectTo(new URL('/mcp', admin.service.url), key, mode);
}

async function serverCall(method: string, path: string, body?: unknown): Promise<void> {
  const { status, text } = await admin.service.call(method, path, { body, headers: NEWEST });
  assert.ok(status < 300, text);
}

before(async () => {
  admin = await AdminService.start({ PINYON_MCP: 'write' });
  const text = { type: 'string', full_text_search: {} };
  await serverCall('POST', '/indexes/create-for-model', {
    name: 'notes',
    cloud: 'aws',
    region: 'us-east-1',
    embed: EMBED,
  });
  await serverCall('POST', '/indexes', {
    name: 'recipes',
    schema: { fields: { title: text, text: { ...text, embed: { model: EMBED.model } } } },
  });
  await serverCall('POST', '/indexes', {
    name: 'letters',
    schema: {
      fields: { summary: { type: 'string', embed: { model: EMBED.model }, store_text: false }, body: text },
    },
  });
  await admin.service.createIndex({ name: 'films', dimension: 2, metric: 'cosine' });
});
after(() => admin.dispose());

for (const mode of ['legacy', 'auto'] as const) {
  describe(`tools over HTTP, for clients that negotiate ${mode}`, () => {
    let client: Client;
    before(async () => {
      client = await connect(API_KEY, mode);
    });
    after(() => client.close());

    it('are listed with guides, closed schemas and hints', async () => {
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        TOOLS,
      );
      for (const { name, description = '', inputSchema, annotations } of tools) {
        assert.ok(description.length > 60, name);
        assert.equal(inputSchema.additionalProperties, false, name);
        assert.equal(annotations?.readOnlyHint, READERS.includes(name), name);
      }
      assert.match(client.getInstructions() ?? '', /list_indexes/);
    });

    it('write, find, change and delete texts', async () => {
      const index = 'notes';
      const records = [
        { id: 'moon', fields: { chunk_text: 'Astronauts walked on the moon', year: 1969 } },
        { id: 'bread', fields: { chunk_text: 'Bread is baked from flour and water', year: 2001 } },
      ];
      assert.deepEqual(await answerOf(client, 'upsert_records', { index, records }), { written: 2 });
      const query = 'who walked on the moon';
      assert.deepEqual(idsOf((await answerOf(client, 'search', { index, query })).hits), ['moon', 'bread']);
      const filter = { year: { $gt: 2000 } };
      assert.deepEqual(idsOf((await answerOf(client, 'search', { index, query, filter })).hits), ['bread']);
      const top = await answerOf(client, 'search', {
        index,
        query,
        rerank: true,
        fields: ['year'],
        top_k: 1,
      });
      assert.deepEqual(top.hits, [{ id: 'moon', score: scoreIn(top.hits), fields: { year: 1969 } }]);
      assert.deepEqual(idsOf((await answerOf(client, 'search', { index, id: 'moon' })).hits), [
        'moon',
        'bread',
      ]);
      await answerOf(client, 'update_record', { index, id: 'bread', set: { year: 2002 } });
      assert.deepEqual(await answerOf(client, 'fetch', { index, ids: ['bread', 'none'] }), {
        records: [{ id: 'bread', fields: { chunk_text: 'Bread is baked from flour and water', year: 2002 } }],
        missing: ['none'],
      });
      assert.deepEqual((await answerOf(client, 'list_records', { index })).ids, ['bread', 'moon']);
      assert.deepEqual(idsOf((await answerOf(client, 'list_records', { index, filter })).records), ['bread']);
      await answerOf(client, 'delete_records', { index, ids: ['moon'] });
      await answerOf(client, 'delete_records', { index, filter: { year: 2002 } });
      assert.deepEqual((await answerOf(client, 'list_records', { index })).ids, []);
    });

    it('write and find documents, by words and by meaning', async () => {
      const index = 'recipes';
      const namespace = 'sweet';
      const records = [
        { id: 'pie', fields: { title: 'Apple pie', text: 'Peel and slice the apples.', minutes: 90 } },
        { id: 'soup', fields: { title: 'Leek soup', text: 'Boil the leeks.', minutes: 30 } },
      ];
      await answerOf(client, 'upsert_records', { index, namespace, records });
      for (const [mode, query] of Object.entries({
        auto: 'apples',
        words: 'apples',
        meaning: 'a cake with fruit',
        lucene: 'title:"apple pie"',
      })) {
        const { hits } = await answerOf(client, 'search', { index, namespace, query, mode, top_k: 1 });
        assert.deepEqual(idsOf(hits), ['pie'], mode);
      }
      const found = await answerOf(client, 'search', { index, namespace, query: 'apples', rerank: true });
      assert.deepEqual(idsOf(found.hits)[0], 'pie');
      const described = await answerOf(client, 'describe_index', { index });
      assert.deepEqual(described.namespaces, [{ name: namespace, records: 2, metadata_fields: ['minutes'] }]);
      await answerOf(client, 'update_record', { index, namespace, id: 'soup', set: { minutes: 45 } });
      const { records: fetched } = await answerOf(client, 'fetch', { index, namespace, ids: ['soup'] });
      assert.equal(JSON.stringify(fetched).includes('"minutes":45'), true);
      const { ids, next_page: page } = await answerOf(client, 'list_records', { index, namespace, limit: 1 });
      assert.deepEqual(ids, ['pie']);
      assert.deepEqual((await answerOf(client, 'list_records', { index, namespace, limit: 1, page })).ids, [
        'soup',
      ]);
      await answerOf(client, 'delete_records', { index, namespace, ids: ['pie', 'soup'] });
    });

    it('rerank documents by a text that is stored, and say where hits have none', async () => {
      const index = 'letters';
      const namespace = `of-${mode}`;
      const letter = (id: string, fields: object) => ({ id, fields: { summary: 'About apples', ...fields } });
      const records = [letter('long', { body: 'Apples and pears' }), letter('short', { body: 'Apples' })];
      await answerOf(client, 'upsert_records', { index, namespace, records });
      const args = { index, namespace, query: 'apples', rerank: true };
      assert.deepEqual(Object.keys(await answerOf(client, 'search', args)), ['hits']);
      await answerOf(client, 'upsert_records', { index, namespace, records: [letter('empty', {})] });
      const { hits, warning } = await answerOf(client, 'search', args);
      assert.equal(idsOf(hits).length, 3);
      assert.match(String(warning), /^The hits are not reranked: .*field 'body' not found/);
    });

    it('write and find vectors', async () => {
      const index = 'films';
      const records = [
        { id: 'a', values: [1, 0], fields: { genre: 'drama' } },
        { id: 'b', values: [0, 1] },
      ];
      await answerOf(client, 'upsert_records', { index, records });
      assert.deepEqual(idsOf((await answerOf(client, 'search', { index, vector: [1, 0.1] })).hits), [
        'a',
        'b',
      ]);
      const whole = await answerOf(client, 'fetch', { index, ids: ['a'], include_vectors: true });
      assert.deepEqual(whole.records, [{ id: 'a', fields: { genre: 'drama' }, values: [1, 0] }]);
      assert.match(await errorOf(client, 'search', { index, query: 'drama' }), /kind vectors.*Pass id/);
      await answerOf(client, 'delete_records', { index, ids: ['a', 'b'] });
    });

    it('answer mistakes with what to do instead', async () => {
      const problems: readonly (readonly [string, object, RegExp])[] = [
        ['search', { index: 'none', query: 'x' }, /none not found.*list_indexes/i],
        ['search', { index: 'notes' }, /exactly one of query, id and vector/],
        ['search', { query: 'x' }, /index is missing/],
        ['search', { index: 'notes', query: 'x', topk: 3 }, /topk is unknown \(known: index, query/],
        ['search', { index: 'notes', query: 'x', top_k: 1000 }, /top_k must be at most 100, got 1000/],
        ['search', { index: 'notes', query: 5 }, /query must be of type string/],
        ['search', { index: 'notes', query: 'x', filter: { $bad: 1 } }, /\$bad/],
        ['search', { index: 'recipes', query: 'x', mode: 'best' }, /mode must be one of auto, words/],
        ['fetch', { index: 'notes', ids: [] }, /ids must have at least 1 items/],
        ['delete_records', { index: 'notes', filter: {} }, /must not be empty/],
        ['update_record', { index: 'notes', id: 'a', set: { chunk_text: 'x' } }, /use|with upsert_records/],
        ['assistant_chat', { assistant: 'nobody', question: 'Why?' }, /nobody.*list_assistants/],
        ['drop_tables', {}, /no tool drop_tables/],
      ];
      for (const [name, args, pattern] of problems) {
        assert.match(await errorOf(client, name, args), pattern, `${name} ${JSON.stringify(args)}`);
      }
    });
  });
}

function scoreIn(hits: unknown): unknown {
  return Array.isArray(hits) ? hits[0]?.score : undefined;
}

describe('ids and namespaces', () => {
  const ODD = [
    'a b',
    ' ',
    'a/b',
    '../..',
    'a%2Fb',
    'a:b',
    '"q\\"',
    '#?&=+;,',
    '\u0001\t\n',
    '__proto__',
    '[1]',
  ];

  for (const index of ['films', 'notes', 'recipes']) {
    it(`of every allowed kind are written, listed, fetched and deleted in ${index}`, async () => {
      const client = await connect();
      const fields = { films: {}, notes: { chunk_text: 'a' }, recipes: { title: 'a', text: 'a' } }[index];
      const values = index === 'films' ? { values: [1, 0] } : {};
      const records = ODD.map((id) => ({ id, fields, ...values }));
      for (const namespace of ['of one', 'a/b %2F', ODD.at(-2)]) {
        const place = { index, namespace };
        await answerOf(client, 'upsert_records', { ...place, records });
        const sorted = ODD.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        assert.deepEqual((await answerOf(client, 'list_records', place)).ids, sorted);
        const { records: fetched, missing } = await answerOf(client, 'fetch', { ...place, ids: ODD });
        assert.deepEqual([idsOf(fetched), missing], [ODD, undefined]);
        await answerOf(client, 'delete_records', { ...place, ids: ODD });
        assert.deepEqual((await answerOf(client, 'list_records', place)).ids, []);
      }
      await client.close();
    });
  }

  it('beyond those are refused by their rules', async () => {
    const client = await connect();
    for (const id of ['é', '\u0000', 'x'.repeat(513)]) {
      assert.match(await errorOf(client, 'fetch', { index: 'films', ids: [id] }), /Vector ID must be/);
      assert.match(await errorOf(client, 'fetch', { index: 'recipes', ids: [id] }), /Document _id must be/);
    }
    await client.close();
  });
});

describe('answers of tools', () => {
  it('fit what a model can read, and say what was left out', async () => {
    const client = await connect();
    const [index, long] = ['notes', 'word '.repeat(6_000)];
    const records = Array.from({ length: 30 }, (_, at) => ({
      id: `r${at}`,
      fields: { chunk_text: 'a', long },
    }));
    await answerOf(client, 'upsert_records', { index, namespace: 'long', records });
    const found = await call(client, 'search', { index, namespace: 'long', query: 'a', top_k: 30 });
    assert.ok(found.text.length < 61_000, String(found.text.length));
    assert.match(String(found.answer.note), /of 30 fit.*top_k/);
    const fetched = await call(client, 'fetch', { index, namespace: 'long', ids: ['r1', 'r2', 'r3'] });
    assert.ok(fetched.text.length < 61_000);
    assert.match(String(fetched.answer.note), /1 of 3|2 of 3/);
    await client.close();
  });
});

describe('an index of many namespaces', () => {
  it('is described by its totals and its first namespaces, with a note that there are more', async () => {
    const client = await connect();
    const index = 'crowded';
    const connection = new Connection(
      await admin.service.createIndex({ name: index, dimension: 1, metric: 'cosine' }),
    );
    const names = Array.from({ length: 101 }, (_, at) => `n${String(at).padStart(3, '0')}`);
    for (const name of names) await connection.upsert(name, [{ id: 'a', values: [1] }]);
    connection.close();
    const { namespaces, ...described } = await answerOf(client, 'describe_index', { index });
    assert.deepEqual(
      (namespaces as readonly { readonly name: string }[]).map(({ name }) => name),
      names.slice(0, 100),
    );
    assert.deepEqual([described.records, described.namespace_count], [101, 101]);
    assert.equal(
      described.note,
      'The first 100 of 101 namespaces. list_namespaces has all of them, page by page.',
    );
    await client.close();
  });
});

describe('assistants', () => {
  it('give passages and answers with their files', async () => {
    const client = await connect();
    const file = { name: 'leave.txt', text: 'Employees have 30 days of leave a year.' };
    await createAssistantWithFile(admin.service, 'handbook', file);
    const { files } = await answerOf(client, 'describe_assistant', { assistant: 'handbook' });
    assert.match(JSON.stringify(files), /"Available"/);
    const args = { assistant: 'handbook', question: 'How many days of leave do employees have?' };
    const { passages } = await answerOf(client, 'assistant_context', args);
    assert.match(JSON.stringify(passages), /30 days.*leave\.txt/);
    const { answer, citations } = await answerOf(client, 'assistant_chat', args);
    assert.match(String(answer), /30/);
    assert.match(JSON.stringify(citations), /leave\.txt/);
    const { assistants } = await answerOf(client, 'list_assistants');
    assert.match(JSON.stringify(assistants), /handbook/);
    await client.close();
  });

  it('list all assistants, page by page', async () => {
    const client = await connect();
    const names = ['first', 'second', 'third'];
    for (const name of names) await admin.service.call('POST', '/assistant/assistants', { body: { name } });
    const listed: unknown[] = [];
    for (let page: unknown; listed.length === 0 || page !== undefined; ) {
      const { assistants, next_page } = await answerOf(client, 'list_assistants', { limit: 2, page });
      assert.ok(Array.isArray(assistants) && assistants.length <= 2);
      listed.push(...assistants.map(({ name }) => name));
      page = next_page;
    }
    assert.ok(names.every((name) => listed.filter((each) => each === name).length === 1));
    assert.deepEqual((await answerOf(client, 'list_assistants')).next_page, undefined);
    await client.close();
  });
});

describe('the endpoint', () => {
  const post = (headers: Readonly<Record<string, string>>, body: unknown) =>
    fetch(`${admin.service.url}/mcp`, {
      method: 'POST',
      headers: { 'api-key': API_KEY, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

  it('refuses pages of other hosts, batches, other methods and what is too large', async () => {
    assert.equal((await post({ origin: 'http://evil.example' }, list)).status, 403);
    assert.equal((await post({ origin: admin.service.url }, list)).status, 200);
    assert.equal((await post({}, [list, list])).status, 400);
    assert.equal((await post({}, { ...list, params: { padding: 'x'.repeat(3 * 2 ** 20) } })).status, 413);
    assert.equal((await fetch(`${admin.service.url}/mcp`, { headers: { 'api-key': API_KEY } })).status, 405);
    assert.equal((await post({ 'api-key': 'wrong' }, list)).status, 401);
  });

  it('answers plain JSON to clients that accept no events', async () => {
    const answer = await post({}, list);
    assert.match(String(answer.headers.get('content-type')), /^application\/json/);
    assert.match(await answer.text(), /"id":1/);
  });

  it('names a message by its id also where that id is its fault', async () => {
    const message = { jsonrpc: '2.0', id: 1.5, method: 'tools/list' };
    const { status, text } = await admin.service.call('POST', '/mcp', { body: message });
    assert.equal(status, 400);
    assert.equal((JSON.parse(text) as { readonly id: unknown }).id, 1.5);
  });

  it('counts calls by tool and outcome', async () => {
    const headers = { 'api-key': API_KEY };
    const text = await (await fetch(`${admin.service.url}/metrics`, { headers })).text();
    assert.match(text, /pinyon_mcp_calls_total\{tool="search",outcome="ok"\} [1-9]/);
    assert.match(text, /pinyon_mcp_calls_total\{tool="unknown",outcome="refused"\} [1-9]/);
  });
});

describe('docs/mcp.md', () => {
  const page = readFileSync(new URL('../docs/mcp.md', import.meta.url), 'utf8');
  const blocksOf = (language: string) =>
    [...page.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, block = '']) => block);

  it('has commands that work', () => {
    const [command = '', ...others] = blocksOf('sh');
    assert.deepEqual(others, []);
    const own = command.replace('http://localhost:5080', admin.service.url).replace('YOUR_API_KEY', API_KEY);
    const { stdout } = spawnSync('sh', ['-c', own], { encoding: 'utf8' });
    assert.match(stdout, /recipes/);
  });

  it('has configurations of the right form, which name every tool', async () => {
    const configurations = blocksOf('json').map((block) => JSON.parse(block));
    assert.equal(configurations.length, 4);
    const client = await connect();
    for (const name of await namesOf(client)) assert.ok(page.includes(`\`${name}\``), name);
    await client.close();
  });
});
