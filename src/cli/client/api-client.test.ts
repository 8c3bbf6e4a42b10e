// The client of the commands, before servers that refuse and stall.
import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { ApiClient } from './api-client.ts';

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
    await withServer(listener, async (client) => {
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

async function withServer(listener: RequestListener, use: (client: ApiClient) => Promise<void>) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const { port } = server.address() as AddressInfo;
  const { signal } = new AbortController();
  try {
    await use(new ApiClient({ url: `http://localhost:${port}`, headers: {}, signal }));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
