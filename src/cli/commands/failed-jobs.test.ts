// What commands tell of jobs of the server that fail.
import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { test } from 'node:test';
import { runCommand, withServer } from '../testing/fake-server.ts';

const REASON = 'The storage is full.';

/** A server whose backup b1 and restore job r1 have failed. */
const failing: RequestListener = ({ method, url = '' }, response) => {
  const backup = { backup_id: 'b1', source_index_name: 'films', status: 'Failed', error: REASON };
  const restore = { restore_job_id: 'r1', target_index_name: 'copy', status: 'Failed', error: REASON };
  const answers: Readonly<Record<string, object>> = {
    'POST /indexes/films/backups': { backup_id: 'b1', status: 'Initializing' },
    'GET /backups/b1': backup,
    'POST /backups/b1/create-index': { restore_job_id: 'r1', index_id: 'i1' },
    'GET /restore-jobs/r1': restore,
    'GET /indexes': { indexes: [] },
    'GET /restore-jobs': { data: [restore] },
    'GET /recoveries': {
      data: [{ recovery_id: 'p1', target_index_name: 'copy', status: 'Failed', error: REASON }],
    },
    // As the server answers, lists give no reasons.
    'GET /backups': {
      data: [
        { backup_id: 'b0', status: 'Ready' },
        { backup_id: 'b1', status: 'Failed' },
      ],
    },
  };
  response.end(JSON.stringify(answers[`${method} ${url.split('?')[0]}`] ?? {}));
};

for (const [words, told] of [
  [['backup', 'create', 'films'], 'Backup b1 of index films ended as Failed: The storage is full.'],
  [['restore', 'b1', 'copy'], 'Restore job r1 ended as Failed: The storage is full.'],
] as const) {
  test(`the last line of a failed '${words.join(' ')}' says why`, async () => {
    await withServer(failing, async (url) => {
      const { code, err } = await runCommand(url, words);
      assert.deepEqual([code, err.trimEnd().split('\n').at(-1)], [1, told]);
    });
  });
}

test("'backup describe' says why a backup has failed", async () => {
  await withServer(failing, async (url) => {
    const { out } = await runCommand(url, ['backup', 'describe', 'b1']);
    assert.equal(out.trimEnd().split('\t').at(-1), REASON);
  });
});

test("'jobs' shows why restores, recoveries and backups have failed, and no backup that is ready", async () => {
  await withServer(failing, async (url) => {
    const { out } = await runCommand(url, ['jobs', '--json']);
    const rows = (JSON.parse(out) as Record<string, unknown>[]).map(({ id, kind, error }) => [
      id,
      kind,
      error,
    ]);
    const expected = [
      ['r1', 'restore', REASON],
      ['p1', 'recovery', REASON],
      ['b1', 'backup', REASON],
    ];
    assert.deepEqual(rows, expected);
  });
});

test("'jobs' lists restores of a server without recoveries", async () => {
  const withoutRecoveries: RequestListener = (request, response) => {
    if (request.url?.startsWith('/recoveries')) response.statusCode = 404;
    failing(request, response);
  };
  await withServer(withoutRecoveries, async (url) => {
    const { code, out } = await runCommand(url, ['jobs']);
    assert.deepEqual([code, /^r1\trestore\t/m.test(out)], [0, true]);
  });
});
