// The first start as a person has it: no settings at all, in an empty folder.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Pinecone } from '@pinecone-database/pinecone';
import { listen } from './support/port-range.ts';
import { CLONE } from './support/program.ts';
import { ServerProcess } from './support/server-process.ts';
import { found } from './support/until.ts';

const PORT = 5080;
const SPEC = { serverless: { cloud: 'aws' as const, region: 'us-east-1' } };

describe('a server without settings, in an empty folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-first-start-'));
  let server: ServerProcess;
  let url: string;
  before(async () => {
    // Only where another server has the port on this machine, there is one setting.
    const free = await listen(PORT);
    await new Promise((resolve) => (free === undefined ? resolve(undefined) : free.close(resolve)));
    const env: Record<string, string> = free === undefined ? { PINYON_PORT: '0' } : {};
    server = new ServerProcess({ program: CLONE, env, cwd: folder });
    url = await server.ready();
  });
  after(async () => {
    await server.end('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  it('stores and finds records by the key that it prints, takes a mistake back, and stops', async () => {
    assert.deepEqual(readdirSync(folder), ['pinyon-data']);
    const [, apiKey = ''] = /API key\s+(pcsk_\S+)/.exec(server.printed) ?? [];
    const pinecone = new Pinecone({ apiKey, controllerHostUrl: url });
    await pinecone.createIndex({ name: 'books', dimension: 3, spec: SPEC, waitUntilReady: true });
    const books = pinecone.index({ name: 'books' });
    const records = [
      { id: 'first', values: [1, 0, 0] },
      { id: 'second', values: [0, 1, 0] },
    ];
    await books.upsert({ records });
    const nearest = async () => {
      const { matches } = await books.query({ vector: [1, 0.1, 0], topK: 1 });
      return matches.map(({ id }) => id);
    };
    assert.deepEqual(await nearest(), ['first']);
    await books.deleteAll();
    assert.deepEqual(await nearest(), []);
    const headers = { 'api-key': apiKey, 'content-type': 'application/json' };
    const ask = async (method: string, path: string, body?: unknown) => {
      const answer = await fetch(`${url}/indexes/books/${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      assert.ok(answer.ok, await answer.clone().text());
      return answer.json();
    };
    const { changes } = (await ask('GET', 'history/changes')) as {
      readonly changes: readonly { readonly undo_to_lsn: number }[];
    };
    await ask('POST', 'undo', { to_lsn: changes[0]?.undo_to_lsn });
    await found(
      async () =>
        ((await ask('GET', 'undo')) as { readonly state: string }).state === 'Completed' || undefined,
      'the undo',
    );
    assert.deepEqual(await nearest(), ['first']);
    assert.deepEqual(await server.end('SIGTERM'), { code: 0, signal: null });
    assert.doesNotMatch(server.log, /"level":"(warn|error|fatal)"/);
  });
});
