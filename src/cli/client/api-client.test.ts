// The client of the commands, before servers that refuse and stall.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { HANG_MS } from '../../platform/testing/until.ts';
import { withServer } from '../testing/fake-server.ts';
import { ApiClient } from './api-client.ts';
import { fileContent, formContent } from './file-content.ts';

const PATIENT = { headMs: HANG_MS, idleMs: HANG_MS };
/** More than a busy machine stands still. */
const IDLE_MS = 1_000;
const SHORT_MS = 400;

test('repeats what must happen once only after a refusal that shows that it did not', async () => {
  for (const [status, attempts] of [
    [429, 2],
    [500, 1],
    [502, 1],
    [503, 1],
    [504, 1],
  ] as const) {
    let asked = 0;
    const listener: RequestListener = (_, response) => {
      asked++;
      response.writeHead(asked === 1 ? status : 200).end('{}');
    };
    await withClient(listener, PATIENT, async (client) => {
      const call = client.call('POST', '/indexes', { body: {}, isOnce: true });
      if (attempts === 1) await assert.rejects(call, { status });
      else await call;
      assert.equal(asked, attempts, String(status));
      asked = 0;
      await client.call('POST', '/query', { body: {} });
      assert.equal(asked, 2, `${status}, where it may happen again`);
    });
  }
});

test('reads an answer for as long as it keeps coming, and gives up where it stalls', async () => {
  const pieces = 15;
  const trickling: RequestListener = async (_, response) => {
    for (let sent = 0; sent < pieces; sent++) {
      response.write('piece');
      await pause(IDLE_MS / 10);
    }
    response.end();
  };
  await withClient(trickling, { ...PATIENT, idleMs: IDLE_MS }, async (client) => {
    const read = await Array.fromAsync(await client.download('/file'));
    assert.equal(Buffer.concat(read).toString(), 'piece'.repeat(pieces));
  });
  await withClient(
    (_, response) => void response.write('{'),
    { ...PATIENT, idleMs: SHORT_MS },
    async (client) => {
      await assert.rejects(
        Array.fromAsync(await client.download('/file')),
        /broke off: The server sent nothing for 0\.4 s/,
      );
      await assert.rejects(client.call('GET', '/'), /broke off: The server sent nothing for 0\.4 s/);
    },
  );
});

test('gives up on a server that sends no head', async () => {
  let asked = 0;
  await withClient(
    () => void asked++,
    { ...PATIENT, headMs: SHORT_MS },
    async (client) => {
      const call = client.call('POST', '/indexes', { isOnce: true });
      await assert.rejects(call, /it takes too long to answer/);
    },
  );
  assert.equal(asked, 1);
});

test('gives a server an hour for a file, which takes its time on the way', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'pinyon-client-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'file.md');
  await writeFile(path, '# Text');
  const slow: RequestListener = async (request, response) => {
    await Array.fromAsync(request);
    await pause(2 * SHORT_MS);
    response.end('{"taken":true}');
  };
  await withClient(slow, { ...PATIENT, headMs: SHORT_MS }, async (client) => {
    for (const content of [await fileContent(path), await formContent({ path, name: 'file.md' })])
      assert.deepEqual(await client.call('POST', '/files', { content, isOnce: true }), { taken: true });
  });
});

function withClient(
  listener: RequestListener,
  limits: typeof PATIENT,
  use: (client: ApiClient) => Promise<void>,
): Promise<void> {
  const { signal } = new AbortController();
  return withServer(listener, (url) => use(new ApiClient({ url, headers: {}, signal, limits })));
}
