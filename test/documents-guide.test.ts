// Every example of docs/documents.md, in the order of the page, against a real server.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { API_KEY, type Service, startService } from './support/service.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = readFileSync(`${ROOT}docs/documents.md`, 'utf8');
const BLOCK = /^```(\w*)\n(.*?)^```$/gms;

interface Example {
  readonly language: string;
  readonly code: string;
  /** What the page shows of the answer: the ids of its matches, or parts of it. */
  readonly shown: readonly string[] | object | null;
}

function examplesOf(page: string): readonly Example[] {
  const blocks = [...page.matchAll(BLOCK)].map(([, language = '', code = '']) => ({ language, code }));
  return blocks.flatMap(({ language, code }, at) => {
    if (language === 'json') return [];
    const next = blocks[at + 1];
    return [{ language, code, shown: next?.language === 'json' ? JSON.parse(next.code) : null }];
  });
}

describe('the examples of docs/documents.md', () => {
  const examples = examplesOf(PAGE);
  let service: Service;
  let host = '';
  before(async () => {
    service = await startService();
  });
  after(() => service.dispose());

  for (const [number, example] of examples.entries()) {
    it(`run as shown: number ${number + 1}, in ${example.language}`, async () => {
      const { PATH = '' } = process.env;
      const env = { PATH, PINYON_URL: service.url, PINYON_API_KEY: API_KEY, INDEX_HOST: host };
      const { stdout } = await run(...commandOf(example), { cwd: ROOT, env });
      if (number === 0) host = JSON.parse(stdout).host;
      if (example.shown === null) return;
      const answer = JSON.parse(stdout) as { readonly matches: readonly { readonly _id: string }[] };
      if (Array.isArray(example.shown)) {
        assert.deepEqual(
          answer.matches.map(({ _id }) => _id),
          example.shown,
        );
      } else assert.partialDeepStrictEqual(answer, example.shown);
    });
  }

  it('are of the shell and of TypeScript only', () => {
    const languages = new Set(examples.map(({ language }) => language));
    assert.deepEqual(languages, new Set(['sh', 'ts']));
  });
});

function commandOf({ language, code }: Example): [string, readonly string[]] {
  if (language === 'sh') return ['sh', ['-euc', code]];
  return [process.execPath, ['--input-type=module-typescript', '--eval', code]];
}
