// The completion scripts are accepted by the shells that are installed, and offer what the program answers.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { completion } from './completion.ts';

/** What a shell does to complete `pinyon index d`, with one candidate on each line of its answer. */
const DRIVERS: Readonly<Record<string, string>> = {
  bash: `COMP_WORDS=(pinyon index d); COMP_CWORD=2; _pinyon; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: 'words=(pinyon index d); CURRENT=3; _pinyon',
  fish: 'complete -C "pinyon index d"',
};
/** Stand-ins for the parts of zsh that only its line editor has. */
const ZSH_PARTS = `compdef() { :; }; _describe() { print -rl -- "\${(@P)2}"; }\n`;

describe('completion', () => {
  const folder = mkdtempSync(`${tmpdir()}/pinyon-completion-`);
  before(() => {
    const answer =
      "#!/bin/sh\n[ \"$*\" = '__complete index d' ] && printf 'describe\\tShow: all\\ndelete\\tDelete\\n'\n";
    writeFileSync(`${folder}/pinyon`, answer);
    chmodSync(`${folder}/pinyon`, 0o755);
  });
  after(() => rmSync(folder, { recursive: true }));

  async function scriptOf(shell: string): Promise<string> {
    let script = '';
    const io = {
      environment: {},
      out: (text: string) => {
        script += text;
      },
      err: () => undefined,
      control: () => undefined,
      ...{ outColumns: null, columns: null, input: null, signal: new AbortController().signal },
    };
    const words = { positionals: [shell], text: () => undefined, texts: () => [], flag: () => false };
    assert.equal(await completion(words, io), 0);
    return script;
  }

  for (const [shell, driver] of Object.entries(DRIVERS)) {
    const isInstalled = spawnSync(shell, ['--version']).status === 0;
    it(`offers the candidates of the program in ${shell}${isInstalled ? '' : ', which is not installed here'}`, async () => {
      const script = await scriptOf(shell);
      assert.match(script, /__complete/);
      if (!isInstalled) return;
      const path = `${folder}/${shell}-script`;
      const lines = `${shell === 'zsh' ? ZSH_PARTS : ''}${script}\n${driver}\n`;
      const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };
      writeFileSync(path, lines);
      const { stdout, stderr } = spawnSync(shell, [path], { env, encoding: 'utf8' });
      const offered = stdout
        .trim()
        .split('\n')
        .map((line) => line.split(/[\t:]/)[0]);
      assert.deepEqual([offered.sort(), stderr], [['delete', 'describe'], '']);
    });
  }

  it('refuses shells that it has no script for', async () => {
    await assert.rejects(scriptOf('csh'), /SHELL must be one of bash, zsh, fish/);
  });
});
