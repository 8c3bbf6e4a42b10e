// Files of an assistant that are uploaded again and again: after a crash, each answers from its last accepted content.
import assert from 'node:assert/strict';
import type { Random } from '../random.ts';
import { API_KEY, type Service } from '../service.ts';
import { until } from '../until.ts';
import { type Activity, untilGone } from './activity.ts';
import { ABSENT, History } from './history.ts';

const ASSISTANT = 'crash-helper';
const FILES = 2;
const PARAGRAPHS = 12;
const HEADERS = { 'api-key': API_KEY, 'x-pinecone-api-version': '2026-04' };

interface Operation {
  readonly id: string;
  readonly status: string;
}

export class Uploads implements Activity {
  readonly name = 'uploads';
  readonly #random: Random;
  readonly #histories = Array.from({ length: FILES }, (_, file) => new History(`file ${file}`));
  #service: Service | undefined;

  constructor(random: Random) {
    this.#random = random;
  }

  get acknowledged(): number {
    return this.#histories.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  }

  async prepare(service: Service): Promise<void> {
    this.#service = service;
    await this.#ask('POST', '/assistant/assistants', JSON.stringify({ name: ASSISTANT }));
    const path = `/assistant/assistants/${ASSISTANT}`;
    await until(async () => (await this.#ask<Operation>('GET', path)).status === 'Ready');
  }

  work(): Promise<void> {
    return untilGone(async () => {
      const file = this.#random.below(FILES);
      const history = this.#histories[file];
      if (history === undefined) return;
      const version = history.nextVersion();
      const { id } = await history.request(version, () =>
        this.#ask<Operation>('PUT', `/assistant/files/${ASSISTANT}/file-${file}`, formOf(file, version)),
      );
      // Some are replaced while they are processed.
      if (this.#random.below(3) > 0) await this.#processed(id);
    });
  }

  async verify(at: bigint): Promise<void> {
    for (const [file, history] of this.#histories.entries()) {
      await until(async () => !(await this.#isProcessing(file)), `file ${file} to be processed`);
      const versions = await this.#versionsFound(file);
      assert.ok(versions.length <= 1, `file ${file} answers from versions ${versions.join(', ')}`);
      history.assertPossible(versions[0] ?? ABSENT, at);
    }
  }

  async #processed(id: string): Promise<void> {
    const path = `/assistant/operations/${ASSISTANT}/${id}`;
    await until(async () => (await this.#ask<Operation>('GET', path)).status !== 'Processing', 'the upload');
  }

  async #isProcessing(file: number): Promise<boolean> {
    const { operations } = await this.#ask<{
      readonly operations: readonly (Operation & { readonly file_id?: string })[];
    }>('GET', `/assistant/operations/${ASSISTANT}?operation_status=Processing`);
    return operations.some(({ status }) => status === 'Processing') && file >= 0;
  }

  /** Of the content that answers. */
  async #versionsFound(file: number): Promise<readonly number[]> {
    const body = JSON.stringify({
      query: `How often does beacon ${file} shine?`,
      top_k: 30,
      snippet_size: 512,
    });
    const { snippets } = await this.#ask<{
      readonly snippets: readonly {
        readonly content: string;
        readonly reference: { readonly file: { readonly id: string } };
      }[];
    }>('POST', `/assistant/chat/${ASSISTANT}/context`, body);
    const texts = snippets.filter(({ reference }) => reference.file.id === `file-${file}`);
    const found = texts.flatMap(({ content }) => content.match(/version\d+/g) ?? []);
    return [...new Set(found)].map((word) => Number(word.slice('version'.length)));
  }

  async #ask<Body>(method: string, path: string, body?: string | FormData): Promise<Body> {
    if (this.#service === undefined) throw new Error('not prepared');
    const json = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
    const response = await send(`${this.#service.url}${path}`, {
      method,
      headers: { ...HEADERS, ...json },
      ...(body !== undefined && { body }),
    });
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${response.text}`);
    return JSON.parse(response.text) as Body;
  }
}

/** @throws the cause of a broken connection, with its code */
async function send(url: string, init: RequestInit): Promise<{ ok: boolean; status: number; text: string }> {
  try {
    const response = await fetch(url, init);
    return { ok: response.ok, status: response.status, text: await response.text() };
  } catch (error) {
    throw error instanceof Error && error.cause instanceof Error ? error.cause : error;
  }
}

function formOf(file: number, version: number): FormData {
  const paragraphs = Array.from(
    { length: PARAGRAPHS },
    (_, at) =>
      `Beacon ${file} of version${version} shines ${at} times. ${'The keeper counts every ship. '.repeat(20)}`,
  );
  const form = new FormData();
  form.append('file', new Blob([paragraphs.join('\n\n')]), `beacon-${file}.txt`);
  return form;
}
