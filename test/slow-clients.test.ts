// Clients that are slow, silent or gone: they are told or cut off, nothing of theirs is stored, others are served.
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { AdminService } from './support/admin.ts';
import { Connection } from './support/connection.ts';
import { API_KEY } from './support/service.ts';
import { HANG_MS } from './support/until.ts';

const LIMIT_SECONDS = 1;
const ENV = {
  PINYON_HEADERS_SECONDS: String(LIMIT_SECONDS),
  PINYON_REQUEST_SECONDS: String(LIMIT_SECONDS),
  PINYON_CONNECTIONS_MAX: '60',
};

describe('a server', () => {
  let admin: AdminService;
  let connection: Connection;
  let port: number;
  before(async () => {
    admin = await AdminService.start(ENV);
    const host = await admin.service.createIndex({ name: 'slow', dimension: 2 });
    port = Number(new URL(host).port);
    connection = new Connection(host);
  });
  after(async () => {
    connection.close();
    await admin.dispose();
  });

  function open(): { readonly socket: Socket; readonly closed: Promise<string> } {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    const closed = new Promise<string>((resolve) => {
      socket.once('close', () => resolve(received));
      socket.once('error', () => undefined);
      socket.setTimeout(HANG_MS, () => socket.destroy(new Error('never closed')));
    });
    return { socket, closed };
  }

  function head(length: number): string {
    return `POST /vectors/upsert HTTP/1.1\r\nhost: localhost\r\napi-key: ${API_KEY}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
  }

  const body = JSON.stringify({ vectors: [{ id: 'never', values: [1, 2] }] });

  async function othersAreServed(): Promise<void> {
    await connection.upsert('', [{ id: 'other', values: [1, 1] }]);
    assert.deepEqual(await connection.listIds(''), ['other']);
  }

  it('sends 408 to a client that stops in the middle of a body, or cuts it off', async () => {
    const { socket, closed } = open();
    socket.write(head(body.length) + body.slice(0, 20));
    await othersAreServed();
    assert.match(await closed, /^(HTTP\/1\.1 408 |$)/);
    await othersAreServed();
  });

  it('keeps nothing of a client that disconnects in the middle of a body', async () => {
    for (let i = 0; i < 10; i++) {
      const { socket, closed } = open();
      socket.write(head(body.length) + body.slice(0, -1));
      await sleep(10);
      if (i % 2 === 0) socket.destroy();
      else socket.resetAndDestroy();
      await closed;
    }
    await othersAreServed();
  });

  it('refuses a body of another length than announced', async () => {
    const { socket, closed } = open();
    socket.end(head(body.length + 10) + body);
    const answer = await closed;
    assert.ok(answer === '' || / 4\d\d /.test(answer.split('\r\n', 1)[0] ?? ''), answer);
    await othersAreServed();
  });

  it('sends 408 to a client with slow headers, or cuts it off', async () => {
    const { socket, closed } = open();
    socket.write('GET /vectors/list HTTP/1.1\r\nhost: local');
    assert.match(await closed, /^(HTTP\/1\.1 408 |$)/);
    await othersAreServed();
  });

  it('cuts off a client that sends nothing', async () => {
    const { closed } = open();
    assert.match(await closed, /^(HTTP\/1\.1 408 |$)/);
  });

  it('sends 400 to a client that does not speak HTTP, or cuts it off', async () => {
    for (const noise of ['\0\0\0\0\0\0', 'hello\r\n\r\n', 'GET\r\n\r\n', '\x16\x03\x01\x02\x00\x01']) {
      const { socket, closed } = open();
      socket.end(noise);
      const answer = await closed;
      assert.ok(!/^HTTP\/1\.1 [25]/.test(answer), answer);
    }
    await othersAreServed();
  });

  it('serves others beside a client that reads no response', async () => {
    // A key of its own: requests of the same key that wait for too long may be refused together.
    const key = await admin.keyWith('DataPlaneViewer');
    const { socket } = open();
    socket.pause();
    const request = `GET /vectors/list HTTP/1.1\r\nhost: localhost\r\napi-key: ${key}\r\n\r\n`;
    socket.write(request.repeat(2_000));
    await othersAreServed();
    socket.destroy();
  });

  it('closes connections over the bound at once, and serves others again afterwards', async () => {
    const opened = Array.from({ length: 100 }, open);
    await sleep(200);
    for (const { socket } of opened) socket.destroy();
    await Promise.all(opened.map(({ closed }) => closed));
    await othersAreServed();
    const { log } = admin.service.process;
    assert.equal(log.includes('"level":"error"'), false, log);
  });
});
