// The way back that undos and merges name: it leaves what others wrote to other namespaces.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXIT_FAILED, EXIT_UNREACHABLE } from '../command.ts';
import { runCommand, withServer } from '../testing/fake-server.ts';

test('names the namespace that was changed, so that the way back leaves all others', async () => {
  const done = { state: 'Completed', records_written: 1, records_restored: 1, from_lsn: 17 };
  await withServer(
    ({ url }, response) =>
      response.end(JSON.stringify(url?.endsWith('/branches/apart') ? { source: 'drama' } : done)),
    async (url) => {
      for (const [words, wayBack] of [
        ['branch merge films apart', '--namespace drama --to-lsn 17'],
        ['undo films --namespace drama --to-lsn 3 --yes', '--namespace drama --to-lsn 17'],
        ['undo films --to-lsn 3 --yes', '--to-lsn 17'],
      ] as const) {
        const { code, out, err } = await runCommand(url, words.split(' '));
        assert.equal(code, 0, err);
        assert.ok(out.endsWith(`To undo this: pinyon undo films ${wayBack}\n`), out);
      }
    },
  );
});

test('is sent once where the answer is lost, since a second undo would take back what others wrote meanwhile', async () => {
  for (const words of ['undo films --to-lsn 3 --yes', 'branch merge films apart']) {
    for (const status of [null, 500, 502, 503, 504]) {
      let posts = 0;
      await withServer(
        ({ method, socket }, response) => {
          if (method !== 'POST' || ++posts > 1) response.end('{"state":"Completed"}');
          else if (status === null) socket.destroy();
          else response.writeHead(status).end();
        },
        async (url) => {
          const { code, err } = await runCommand(url, words.split(' '));
          assert.equal(code, status === null ? EXIT_UNREACHABLE : EXIT_FAILED, err);
          assert.match(err, /may have begun all the same: look with `pinyon history films` before/);
        },
      );
      assert.equal(posts, 1, `${words}: ${status}`);
    }
  }
});

test('does not claim that a refused undo may have begun', async () => {
  await withServer(
    (_, response) => response.writeHead(412).end('{"error":{"message":"Not now."}}'),
    async (url) => {
      const { err } = await runCommand(url, 'undo films --to-lsn 3 --yes'.split(' '));
      assert.match(err, /Not now\.\n$/);
    },
  );
});
