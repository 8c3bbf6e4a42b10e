// How old the knowledge of a node is that shares its catalog, on a machine that may have been suspended.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { test } from 'node:test';
import { ChangeFeed } from './change-feed.ts';

const BOOL_OID = 16;
const REQUEST_HEADER_BYTES = 5;

function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + length.length);
  return Buffer.concat([Buffer.from(type), length, body]);
}

function numbers(...values: readonly (readonly [value: number, bytes: 2 | 4])[]): Buffer {
  return Buffer.concat(
    values.map(([value, bytes]) => {
      const written = Buffer.alloc(bytes);
      written.writeIntBE(value, 0, bytes);
      return written;
    }),
  );
}

const READY = message('Z', Buffer.from('I'));
const AUTHENTICATED = message('R', numbers([0, 4]));

/** One row with one truth value. */
function rowOf(name: string, value: string): Buffer {
  const column = numbers([0, 4], [0, 2], [BOOL_OID, 4], [-1, 2], [-1, 4], [0, 2]);
  return Buffer.concat([
    message('T', numbers([1, 2]), Buffer.from(`${name}\0`), column),
    message('D', numbers([1, 2], [value.length, 4]), Buffer.from(value)),
    message('C', Buffer.from('SELECT 1\0')),
  ]);
}

/** Answers as PostgreSQL does where nothing has changed yet, with `true` for every lock. */
function serve(socket: Socket): void {
  let isStarted = false;
  let pending = Buffer.alloc(0);
  socket
    .on('error', () => undefined)
    .on('data', (piece: Buffer) => {
      pending = Buffer.concat([pending, piece]);
      if (!isStarted) {
        isStarted = true;
        pending = Buffer.alloc(0);
        socket.write(Buffer.concat([AUTHENTICATED, READY]));
        return;
      }
      while (pending.length >= REQUEST_HEADER_BYTES && pending.length > pending.readInt32BE(1)) {
        const isQuery = pending.toString('latin1', 0, 1) === 'Q';
        pending = pending.subarray(1 + pending.readInt32BE(1));
        if (isQuery) socket.write(Buffer.concat([rowOf('held', 't'), READY]));
      }
    });
}

async function urlOf(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `postgres://me@127.0.0.1:${(server.address() as AddressInfo).port}/db`;
}

test('knows that its knowledge is old after the machine was suspended, and after its clock was set back', async (t) => {
  const server = createServer(serve);
  t.after(() => server.close());
  const now = { steady: 1_000_000, wall: 5_000_000 };
  const clocks = { steady: () => now.steady, wall: () => now.wall };
  // Longer than the test: the feed looks when it is asked to.
  const feed = new ChangeFeed({
    url: await urlOf(server),
    onFailure: assert.ifError,
    pollMs: 600_000,
    clocks,
  });
  t.after(() => feed.close());
  assert.equal(feed.ageMs(), Number.POSITIVE_INFINITY);
  await feed.start();
  assert.equal(feed.ageMs(), 0);
  now.wall += 600_000;
  assert.equal(feed.ageMs(), 600_000, 'it was suspended, which its steady clock does not show');
  await feed.catchUp();
  assert.equal(feed.ageMs(), 0);
  now.wall -= 600_000;
  now.steady += 7_000;
  assert.equal(feed.ageMs(), 7_000, 'the wall clock was set back');
});
