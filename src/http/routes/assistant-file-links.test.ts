// Guarantees of signed links to files: what they open, to whom, and for how long.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { LINK_LIFE_MS } from '../../domain/assistants/limits.ts';
import { filesOf } from '../testing/assistant-files.ts';
import { type AssistantServer, startAssistantServer } from '../testing/assistant-server.ts';

describe('signed links', () => {
  let server: AssistantServer;
  let files: ReturnType<typeof filesOf>;
  before(async () => {
    server = await startAssistantServer();
    await server.make('helper');
    files = filesOf(server, 'helper');
  });
  after(() => server.dispose());

  const linkOf = async (id: string): Promise<string> =>
    (await files.describe(id, '?include_url=true')).json.signed_url;
  const read = (url: string) => server.ask('GET', url, { key: null, version: null });

  test('give the bytes without a key, as a download that browsers do not execute', async () => {
    const page = '<script>alert(document.cookie)</script>';
    const accepted = await files.upload("pa'ge; ü.html", page);
    await server.ended(accepted);
    const { status, headers, json } = await read(await linkOf(accepted.json.file_id));
    assert.deepEqual([status, json], [200, page]);
    assert.equal(headers.get('content-type'), 'application/octet-stream');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.match(String(headers.get('content-security-policy')), /default-src 'none'; sandbox/);
    assert.equal(
      headers.get('content-disposition'),
      `attachment; filename="pa'ge_ _.html"; filename*=UTF-8''pa%27ge%3B%20%C3%BC.html`,
    );
    assert.equal(headers.get('content-length'), String(page.length));
  });

  test('open nothing once altered, and no file but their own', async () => {
    await server.ended(await files.put('locked', 'mine'));
    await server.ended(await files.put('other', 'another one'));
    const url = await linkOf('locked');
    const at = url.lastIndexOf('/') + 1;
    const token = url.slice(at);
    const other = (await linkOf('other')).slice(at);
    const [mac, claims] = [Buffer.from(token, 'base64url').subarray(0, 32), Buffer.from(other, 'base64url')];
    const mixed = Buffer.concat([mac, claims.subarray(32)]).toString('base64url');
    const begun = token.startsWith('A') ? 'B' : 'A';
    const altered = ['x', `${token}A`, `${token}=`, token.slice(0, -1), begun + token.slice(1), mixed];
    for (const each of altered) {
      const { status, json } = await read(`${url.slice(0, at)}${each}`);
      assert.equal(status, 403, each);
      assert.equal(json.error.code, 'FORBIDDEN');
    }
    for (const method of ['PUT', 'DELETE', 'POST']) {
      assert.equal((await server.ask(method, url)).status, 405);
    }
    assert.equal((await read(url)).json, 'mine');
  });

  test('answer 503 when the stored bytes are not those that were uploaded', async () => {
    await server.ended(await files.put('rotten', 'as it was uploaded'));
    const { blobs } = server.fixture;
    const { items } = await blobs.list('assistants/', null);
    const rotten: string[] = [];
    for (const { key } of items) {
      const stored = Buffer.concat(await Array.fromAsync(blobs.get(key)));
      if (stored.toString() !== 'as it was uploaded') continue;
      stored[3] = (stored[3] ?? 0) ^ 1;
      await blobs.put(key, Readable.from([stored]));
      rotten.push(key);
    }
    const { status, json } = await read(await linkOf('rotten'));
    assert.equal(status, 503);
    assert.equal(json.error.message, 'The stored bytes of file rotten are damaged. Upload it again.');
    for (const key of rotten) await blobs.delete(key);
    assert.equal((await read(await linkOf('rotten'))).status, 503, 'missing bytes of a file that is there');
  });

  test('expire after an hour, when the content changes, and when the file is deleted', async () => {
    await server.ended(await files.put('brief', 'first'));
    const first = await linkOf('brief');
    server.clock.lateMs = LINK_LIFE_MS - 10_000;
    assert.equal((await read(first)).status, 200);
    server.clock.lateMs = LINK_LIFE_MS + 1;
    assert.equal((await read(first)).status, 403);
    server.clock.lateMs = 0;
    await server.ended(await files.put('brief', 'second'));
    assert.equal((await read(first)).status, 404);
    const second = await linkOf('brief');
    await server.ask('DELETE', '/assistant/files/helper/brief');
    assert.equal((await read(second)).status, 404);
  });
});
