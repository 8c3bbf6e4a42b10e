// Commands that destroy something: they ask, and without a terminal they take --yes alone.
import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { test } from 'node:test';
import { runCommand, withServer } from '../testing/fake-server.ts';

/** A server with one backup, branch, file of an assistant, and a running and a complete export. */
function listenerOf(deleted: (string | undefined)[]): RequestListener {
  return ({ method, url = '', headers }, response) => {
    if (method === 'DELETE') deleted.push(url);
    const answers: Readonly<Record<string, object>> = {
      '/backups/b1': { backup_id: 'b1', source_index_name: 'films', created_at: '2026', record_count: 3 },
      '/indexes/films': { name: 'films', host: `http://${headers.host}` },
      '/indexes/films/branches/apart': { name: 'apart', changed_record_count: 2 },
      '/indexes/films/model-change': { standby: { models: ['e5'], dimension: 1024 } },
      '/assistant/files/helper': { files: [{ id: 'f1', name: 'notes.md' }] },
      '/bulk/imports': { data: [] },
      '/bulk/exports': {
        data: [
          { id: 'complete', status: 'Completed' },
          { id: 'running', status: 'InProgress' },
        ],
      },
    };
    response.end(JSON.stringify(answers[url.split('?')[0] ?? ''] ?? {}));
  };
}

const COMMANDS: readonly (readonly [words: readonly string[], question: string, path: string])[] = [
  [['backup', 'delete', 'b1'], 'Backup b1 of index films of 2026 with 3 records will be', '/backups/b1'],
  [
    ['branch', 'drop', 'films', 'apart'],
    'Branch apart with 2 changed records will be',
    '/indexes/films/branches/apart',
  ],
  [
    ['model-change', 'end', 'films'],
    'The vectors of index films that do not answer, by e5 (1024), will be removed.',
    '/indexes/films/model-change',
  ],
  [['jobs', 'cancel', 'films', 'running'], 'The export running will be cancelled', '/bulk/exports/running'],
  [
    ['assistant', 'remove-file', 'helper', 'notes.md'],
    'File notes.md of assistant helper will be',
    '/assistant/files/helper/f1',
  ],
];

for (const [words, question, path] of COMMANDS) {
  test(`asks before '${words.slice(0, 2).join(' ')}', and does it with --yes`, async () => {
    const deleted: (string | undefined)[] = [];
    await withServer(listenerOf(deleted), async (url) => {
      const unasked = await runCommand(url, words);
      assert.deepEqual([unasked.code, deleted], [1, []]);
      assert.ok(unasked.err.startsWith(question), unasked.err);
      const done = await runCommand(url, [...words, '--yes']);
      assert.deepEqual([done.code, deleted], [0, [path]], done.err);
    });
  });
}

test("asks before 'ttl set' of a key that may not count the records that would expire", async () => {
  const written: string[] = [];
  const listener: RequestListener = ({ method, url = '', headers }, response) => {
    if (method === 'PUT') written.push(url);
    if (url.startsWith('/namespaces')) response.statusCode = 403;
    response.end(JSON.stringify({ name: 'films', host: `http://${headers.host}`, field: 'year' }));
  };
  await withServer(listener, async (url) => {
    const words = ['ttl', 'set', 'films', '--field', 'year'];
    const unasked = await runCommand(url, words);
    assert.deepEqual([unasked.code, written], [1, []]);
    assert.match(
      unasked.err,
      /^All records of index films with a moment in the past in year will expire at once\./,
    );
    assert.equal((await runCommand(url, [...words, '--yes'])).code, 0);
    assert.deepEqual(written, ['/indexes/films/ttl']);
  });
});

test('cancels no job that has ended: the files of a complete export stay', async () => {
  const deleted: (string | undefined)[] = [];
  await withServer(listenerOf(deleted), async (url) => {
    for (const [id, reason] of [
      [
        'complete',
        /^The export complete has ended: it is Completed\. Nothing was changed\. DELETE \S+complete over HTTP/,
      ],
      ['unknown', /^The index has no import or export unknown; 'pinyon jobs INDEX' lists them\.\n$/],
    ] as const) {
      const { code, err } = await runCommand(url, ['jobs', 'cancel', 'films', id, '--yes']);
      assert.match(err, reason);
      assert.deepEqual([code, deleted], [1, []]);
    }
  });
});
