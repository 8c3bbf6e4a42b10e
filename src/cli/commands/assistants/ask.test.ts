// Answers of assistants as they are printed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand, withServer } from '../../testing/fake-server.ts';

test('prints the whole answer, whatever characters it has, also before the end mark of other servers', async () => {
  const pieces = ['Lines end with data: [DONE]', ' and ', '[DONE]'];
  const events = pieces.map((content) => ({ type: 'content_chunk', delta: { content } }));
  await withServer(
    (_request, response) => {
      for (const event of events) response.write(`data:${JSON.stringify(event)}\n\n`);
      response.end('data: [DONE]\n\n');
    },
    async (url) => {
      const { code, out, err } = await runCommand(url, ['assistant', 'ask', 'helper', 'How do lines end?']);
      assert.deepEqual([code, out], [0, `${pieces.join('')}\n`], err);
    },
  );
});
