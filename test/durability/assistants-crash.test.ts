// kill -9 in the middle of processing: every accepted file answers after the next start, whole and once.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { effort } from '../support/effort.ts';
import { Random } from '../support/random.ts';
import { API_KEY, type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const KILLS = effort({ daily: 2, long: 25 });
const FILES = effort({ daily: 2, long: 4 });
/** Some chunks a paragraph, so that a file takes several steps. */
const PARAGRAPHS = effort({ daily: 60, long: 120 });
const KILL_MS_MAX = effort({ daily: 300, long: 1_200 });
const IS_KILLED_WHILE_DELETING = effort({ daily: false, long: true });
const HEADERS = { 'api-key': API_KEY, 'x-pinecone-api-version': '2026-04' };

interface Operation {
  readonly id: string;
  readonly status: string;
}

describe('assistants and kill -9', () => {
  const random = new Random(11);
  let service: Service;
  before(async () => {
    service = await startService();
    await ask('POST', '/assistant/assistants', JSON.stringify({ name: 'helper' }));
    await until(async () => (await ask('GET', '/assistant/assistants/helper')).status === 'Ready');
  });
  after(() => service.dispose());

  async function ask(method: string, path: string, body?: string | FormData) {
    const json = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
    const answer = await fetch(`${service.url}${path}`, {
      method,
      headers: { ...HEADERS, ...json },
      ...(body !== undefined && { body }),
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? {} : JSON.parse(text);
  }

  /** The round is in every paragraph: what is found of it is of one upload. */
  function upload(file: number, round: number): Promise<Operation> {
    const form = new FormData();
    const paragraphs = Array.from(
      { length: PARAGRAPHS },
      (_, at) =>
        `Beacon ${file} of round${round} shines ${at} times. ${'The keeper counts every ship. '.repeat(40)}`,
    );
    form.append('file', new Blob([paragraphs.join('\n\n')]), `beacon-${file}.txt`);
    return ask('PUT', `/assistant/files/helper/file-${file}`, form);
  }

  async function foundOf(file: number): Promise<readonly string[]> {
    const body = JSON.stringify({
      query: `How often does beacon ${file} shine?`,
      top_k: 30,
      snippet_size: 512,
    });
    const { snippets } = await ask('POST', '/assistant/chat/helper/context', body);
    return snippets
      .filter(
        ({ reference }: { reference: { file: { id: string } } }) => reference.file.id === `file-${file}`,
      )
      .map(({ content }: { content: string }) => content);
  }

  it('finish accepted uploads and replacements, and answer from the last content of each file alone', async () => {
    const files = Array.from({ length: FILES }, (_, file) => file);
    for (let round = 1; round <= KILLS; round++) {
      const accepted = await Promise.all(files.map((file) => upload(file, round)));
      await pause(random.below(KILL_MS_MAX));
      await service.kill();
      await service.start();
      for (const { id } of accepted) {
        const path = `/assistant/operations/helper/${id}`;
        await until(async () => (await ask('GET', path)).status !== 'Processing');
        assert.equal((await ask('GET', path)).status, 'Completed');
      }
      for (const file of files) {
        const snippets = await foundOf(file);
        assert.ok(snippets.length > 0);
        for (const text of snippets)
          assert.deepEqual([...new Set(text.match(/round\d+/g))], [`round${round}`]);
      }
    }
  });

  it('leave only the bytes of current files, and nothing of a deleted assistant', async () => {
    const folder = join(service.dataDir, 'blobs', 'assistants');
    const stored = (): readonly string[] =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name);
    await until(async () => stored().length === FILES);
    await ask('DELETE', '/assistant/assistants/helper');
    if (IS_KILLED_WHILE_DELETING) {
      await service.kill();
      await service.start();
    }
    await until(async () => {
      const { status } = await fetch(`${service.url}/assistant/assistants/helper`, { headers: HEADERS });
      return status === 404;
    });
    assert.throws(stored, { code: 'ENOENT' });
    assert.deepEqual(readdirSync(join(service.dataDir, 'scratch')), []);
  });
});
