// Control characters in ids and texts: what is shown, and what is read back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writerTo } from '../process-io.ts';
import { runCommand, withServer } from '../testing/fake-server.ts';
import { idOfText, idText } from './controls.ts';

const IDS = [
  'plain',
  'a\nb',
  'a',
  'b\r',
  '\u001b[2J',
  '"quoted',
  '"quoted"',
  'c\u009b1m',
  '\u007f',
  'é 🎬 \\n',
];

test('shows any id in one line without control characters, and reads it back', () => {
  for (const id of [...IDS, ...Array.from({ length: 160 }, (_, code) => `x${String.fromCharCode(code)}`)]) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left.
    assert.doesNotMatch(idText(id), /[\u0000-\u001f\u007f-\u009f]/);
    assert.equal(idOfText(idText(id)), id);
  }
  assert.equal(idText('plain id'), 'plain id');
});

test('deletes the records that a list has named, whatever their ids are', async () => {
  let deleted: unknown;
  await withServer(
    async (request, response) => {
      const { url = '', headers } = request;
      const text = Buffer.concat(await Array.fromAsync(request)).toString();
      if (url.startsWith('/vectors/delete')) deleted = JSON.parse(text).ids;
      const list = { vectors: IDS.map((id) => ({ id })) };
      const index = { name: 'films', host: `http://${headers.host}` };
      response.end(JSON.stringify(url.startsWith('/vectors/list') ? list : index));
    },
    async (url) => {
      const { out } = await runCommand(url, ['record', 'list', 'films']);
      const { code, err } = await runCommand(url, ['record', 'delete', 'films'], out);
      assert.equal(code, 0, err);
      assert.deepEqual(deleted, IDS);
      const wrong = await runCommand(url, ['record', 'delete', 'films'], '"open\n');
      assert.equal(wrong.code, 1);
      assert.match(wrong.err, /"open begins as a JSON string and is none/);
    },
  );
});

test('writes no control characters but line feeds and tabs to a terminal, and all elsewhere', () => {
  const text = '\u001b]0;title\u0007two\r\nlines\tand \u009b1m\n';
  for (const [isTTY, expected] of [
    [true, '\\u001b]0;title\\u0007two\nlines\tand \\u009b1m\n'],
    [false, text],
  ] as const) {
    let written = '';
    writerTo({ isTTY, write: (part) => (written += part) })(text);
    assert.equal(written, expected);
  }
});
