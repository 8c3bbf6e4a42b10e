// Files that are uploaded to an assistant while its nodes are killed: each accepted one ends up there once, whole.
import assert from 'node:assert/strict';
import { until } from '../../support/until.ts';
import { KEY, type WholeNode } from './whole-node.ts';

const ASSISTANT = 'keeper';
const SENTENCES = 40;
const HEADERS = { 'api-key': KEY, 'x-pinecone-api-version': '2026-04' };

interface StoredFile {
  readonly id: string;
  readonly status: string;
}

export class Uploads {
  readonly #accepted: string[] = [];

  get accepted(): number {
    return this.#accepted.length;
  }

  async prepare(node: WholeNode): Promise<void> {
    const made = await node.call('POST', '/assistant/assistants', { body: { name: ASSISTANT } });
    assert.ok(made.status < 300, made.text);
    const path = `/assistant/assistants/${ASSISTANT}`;
    await until(async () => (await node.call('GET', path)).text.includes('"Ready"'));
  }

  /** Puts a file; one whose connection breaks is put again under the same id. @param nodeAt the node of each try */
  async put(number: number, nodeAt: (tried: number) => WholeNode): Promise<void> {
    const id = `file-${number}`;
    for (let tried = 0; ; tried++) {
      const { url } = nodeAt(tried);
      const form = new FormData();
      form.append('file', new Blob([textOf(number)]), `lantern-${number}.txt`);
      const init = { method: 'PUT', headers: HEADERS, body: form };
      const response = await fetch(`${url}/assistant/files/${ASSISTANT}/${id}`, init).catch(() => null);
      const text = await response?.text().catch(() => null);
      if (response === null || text === null || text === undefined) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        continue;
      }
      // What a broken try has left may still be under way: that is an acceptance, too.
      assert.ok(response.ok || response.status === 409, `${response.status} ${text}`);
      this.#accepted.push(id);
      return;
    }
  }

  /** Waits for all files, and finds each once, with its own text. */
  async verify(node: WholeNode): Promise<void> {
    const list = async () => {
      const { text, body } = await node.call('GET', `/assistant/files/${ASSISTANT}`);
      const { files } = body as { readonly files?: readonly StoredFile[] };
      assert.ok(files !== undefined, text);
      return files;
    };
    await until(
      async () => (await list()).every(({ status }) => !/process|delet/i.test(status)),
      'the files',
    );
    const files = await list();
    assert.deepEqual(files.map(({ id }) => id).sort(), [...new Set(this.#accepted)].sort());
    assert.deepEqual(
      files.filter(({ status }) => status !== 'Available'),
      [],
    );
    for (const id of this.#accepted.slice(-3)) {
      const number = id.slice('file-'.length);
      const body = { query: `How bright is lantern ${number}?`, top_k: 5 };
      const { text } = await node.call('POST', `/assistant/chat/${ASSISTANT}/context`, { body });
      assert.match(text, new RegExp(`lantern ${number} shines`, 'i'));
    }
  }
}

function textOf(number: number): string {
  return Array.from({ length: SENTENCES }, (_, at) => `Lantern ${number} shines ${at} hours.`).join(' ');
}
