// Tools for language models, through the official MCP client, over standard input and output: `pinyon mcp`.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { AdminService } from './support/admin.ts';
import { answerOf, errorOf, idsOf, namesOf, READERS } from './support/mcp-client.ts';
import { COMMAND } from './support/program.ts';
import { API_KEY } from './support/service.ts';

let admin: AdminService;

before(async () => {
  admin = await AdminService.start();
  const body = {
    ...{ name: 'notes', cloud: 'aws', region: 'us-east-1' },
    embed: { model: 'multilingual-e5-large', field_map: { text: 'chunk_text' } },
  };
  const { status, text } = await admin.service.call('POST', '/indexes/create-for-model', { body });
  assert.equal(status, 201, text);
});
after(() => admin.dispose());

describe('pinyon mcp', () => {
  const start = async (words: readonly string[], mode: 'legacy' | 'auto', key = API_KEY) => {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
    const env = { PATH: process.env.PATH ?? '', PINYON_API_KEY: key, PINYON_URL: admin.service.url };
    const args = [COMMAND, 'mcp', ...words];
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }),
    );
    return client;
  };

  it('has the tools that read, and asks the server with the key', async () => {
    const client = await start([], 'legacy');
    assert.deepEqual(await namesOf(client), READERS);
    const { indexes } = await answerOf(client, 'list_indexes');
    assert.match(JSON.stringify(indexes), /notes/);
    assert.match(await errorOf(client, 'search', { index: 'none', query: 'x' }), /list_indexes/);
    await client.close();
  });

  it('writes with --write', async () => {
    const client = await start(['--write'], 'auto');
    const records = [{ id: 'a', fields: { chunk_text: 'Herons wade.' } }];
    await answerOf(client, 'upsert_records', { index: 'notes', namespace: 'birds', records });
    const found = await answerOf(client, 'search', { index: 'notes', namespace: 'birds', query: 'heron' });
    assert.deepEqual(idsOf(found.hits), ['a']);
    await client.close();
  });

  it('tells the model of a key that is not valid', async () => {
    const client = await start([], 'auto', 'pcsk_wrong_0123456789abcdefghij');
    assert.match(await errorOf(client, 'list_indexes'), /API key/);
    await client.close();
  });
});
