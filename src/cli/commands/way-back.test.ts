// The way back that undos and merges name: it leaves what others wrote to other namespaces.
import assert from 'node:assert/strict';
import { test } from 'node:test';
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
