// An evaluation whose lines find no room on the disk.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand, withServer } from '../../../testing/fake-server.ts';

/** Only Linux has a full disk to write to. */
const skip = !existsSync('/dev/full');

test('names the file that finds no room for the answers', { skip }, async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-evaluate-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const questions = join(folder, 'questions.jsonl');
  writeFileSync(questions, '{"question":"Who?","answer":"Nobody."}\n');
  await withServer(
    ({ method }, response) => {
      // A refused question is an outcome as well.
      if (method === 'POST') response.statusCode = 400;
      response.end('{}');
    },
    async (url) => {
      const words = ['assistant', 'evaluate', 'helper', '--questions', questions, '--output', '/dev/full'];
      const { code, out } = await runCommand(url, [...words, '--json']);
      assert.equal(code, 1);
      const message = '/dev/full cannot be used: no space left on device.';
      assert.deepEqual(JSON.parse(out), { error: { message } });
    },
  );
});
