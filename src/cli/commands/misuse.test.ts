// Wrong usage is told before anything is asked of a server, with the exit code of wrong usage.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand, withServer } from '../testing/fake-server.ts';

const WRONG: readonly (readonly [words: string, message: RegExp])[] = [
  ['undo films', /Give one of --to TIME, --to-lsn LSN and --before LSN/],
  ['undo films --before x', /--before must be an LSN, got 'x'/],
  [
    'ttl set films --field at --yes --seconds x',
    /--seconds must be a whole number of seconds or 'ever', got 'x'/,
  ],
  ['ttl set films --field at --yes --namespaces a', /--namespaces expects NAMESPACE=SECONDS, got 'a'/],
  ['quota set', /Pass one of --requests-per-second, .*--files\./],
  ['quota set --records x', /--records must be a whole number or none, got 'x'/],
  ['index move films', /Missing option --to/],
  ['recall set films --recall much', /--recall must be a number such as 0\.99/],
  [
    'model-change start notes --model m --dimension x',
    /--dimension must be a whole number of at least 1, got 'x'/,
  ],
  ['model-change compare notes --top-k x', /--top-k must be a whole number of at least 1, got 'x'/],
  ['branch compare films apart', /Name an ID, or pass --text/],
  ['branch compare films apart a --top-k x', /--top-k must be a whole number of at least 1, got 'x'/],
];

test('wrong usage exits with 2, says what was expected, and changes nothing', async () => {
  const changes: string[] = [];
  await withServer(
    ({ method, url }, response) => {
      if (method !== 'GET') changes.push(`${method} ${url}`);
      response.end('{}');
    },
    async (url) => {
      for (const [words, message] of WRONG) {
        const { code, err } = await runCommand(url, words.split(' '));
        assert.deepEqual([code, message.test(err)], [2, true], `${words}: ${err}`);
        assert.match(err, /See --help\.\n$/);
      }
    },
  );
  assert.deepEqual(changes, []);
});
