// Starts the MCP server as an assistant would, and calls every tool of it that works on a database.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { runTests } from './harness.mjs';

/** Searches the vendor's documentation at a fixed address, so it is not called. */
const FOREIGN = 'search-docs';
const [name, namespace] = ['notes', 'n'];
const records = [
  { id: 'moon', chunk: 'Astronauts walked on the moon', year: 1969 },
  { id: 'bread', chunk: 'Bread is baked from flour and water', year: 2001 },
];
const rerank = { model: 'bge-reranker-v2-m3', topN: 1, rankFields: ['chunk'] };
const query = { topK: 2, inputs: { text: 'who walked on the moon' } };

const called = new Set([FOREIGN]);
const client = new Client({ name: 'driver', version: '1.0.0' });
// Its client knows no variable for the address, so what sends the calls here is loaded into it, too.
const args = [...process.execArgv, 'node_modules/@pinecone-database/mcp/dist/index.js'];
const { execPath: command, env } = process;
await client.connect(new StdioClientTransport({ command, args, env, stderr: 'ignore' }));

/** The text that a tool answers. @throws if it is an error */
async function answer(tool, args = {}) {
  called.add(tool);
  const { content, isError } = await client.callTool({ name: tool, arguments: args });
  const [{ text }] = content;
  assert.ok(!isError, text);
  return text;
}

async function call(tool, args) {
  return JSON.parse(await answer(tool, args));
}

await runTests({
  'creates, lists and describes an index for a model': async () => {
    const embed = { model: 'multilingual-e5-large', fieldMap: { text: 'chunk' } };
    assert.equal((await call('create-index-for-model', { name, embed })).name, name);
    assert.match(await answer('create-index-for-model', { name, embed }), /already exists/);
    assert.deepEqual(
      (await call('list-indexes')).indexes.map((index) => index.name),
      [name],
    );
    assert.equal((await call('describe-index', { name })).dimension, 1024);
  },
  'upserts records and counts them': async () => {
    assert.match(await answer('upsert-records', { name, namespace, records }), /2 record/);
    const { namespaces } = await call('describe-index-stats', { name });
    assert.equal(namespaces[namespace].recordCount, 2);
  },
  'searches records, with a filter and reranked': async () => {
    const ids = async (more) => {
      const { result } = await call('search-records', { name, namespace, query, ...more });
      return result.hits.map(({ _id }) => _id);
    };
    assert.deepEqual(await ids({}), ['moon', 'bread']);
    assert.deepEqual(await ids({ query: { ...query, filter: { year: { $gt: 2000 } } } }), ['bread']);
    assert.deepEqual(await ids({ rerank }), ['moon']);
  },
  'searches several indexes in one call': async () => {
    const { data } = await call('cascading-search', { indexes: [{ name, namespace }], query, rerank });
    assert.equal(data[0].document._id ?? data[0].document.chunk, records[0].chunk);
  },
  'reranks documents': async () => {
    const documents = records.map(({ chunk }) => chunk);
    const options = { topN: 1 };
    const { data } = await call('rerank-documents', {
      model: rerank.model,
      query: 'flour',
      documents,
      options,
    });
    assert.equal(data[0].index, 1);
  },
  'reports what the server refuses': async () => {
    const { content, isError } = await client.callTool({
      name: 'describe-index',
      arguments: { name: 'none' },
    });
    assert.ok(isError);
    assert.match(content[0].text, /none/);
  },
  'calls every tool': async () => {
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map((tool) => tool.name).filter((tool) => !called.has(tool)),
      [],
    );
    await client.close();
  },
});
