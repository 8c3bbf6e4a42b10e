// Questions to a person: what is typed, and the ways not to answer.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { EXIT_INTERRUPTED, Interruption } from '../command.ts';
import { runLine } from '../line/run-line.ts';
import { silentIo } from '../testing/fake-server.ts';
import { ask } from './ask.ts';

describe('a question to a person', () => {
  /** Answers with what is typed; resolves to it and to all that was shown. */
  async function typed(keys: string, isSecret: boolean): Promise<readonly [string, string]> {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const answer = ask({ text: 'Sure? ', isSecret }, silentIo(), { input, output });
    input.write(keys);
    const line = await answer;
    output.end();
    return [line, (await Array.fromAsync(output)).join('')];
  }

  it('is answered by a line, which is not shown where it is secret', async () => {
    const [answer, shown] = await typed('yes\r', false);
    assert.equal(answer, 'yes');
    assert.match(shown, /Sure\? .*yes/s);
    assert.deepEqual(await typed('hush\r', true), ['hush', 'Sure? \n']);
  });

  it('ends the command in order by Ctrl-C and Ctrl-D', async () => {
    for (const key of ['\u0003', '\u0004'])
      for (const isSecret of [false, true]) await assert.rejects(typed(key, isSecret), Interruption);
    const errors: string[] = [];
    const commands = [
      {
        path: 'ask',
        summary: 'Ask',
        partner: 'files' as const,
        run: async () => Number((await typed('\u0004', false))[0]),
      },
    ];
    const program = { groups: [{ title: 'All', commands }], version: '0' };
    const code = await runLine(['ask'], program, silentIo({ err: (text) => errors.push(text) }));
    assert.deepEqual([code, errors], [EXIT_INTERRUPTED, ['\nInterrupted.\n']]);
  });
});
