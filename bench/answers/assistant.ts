// One assistant over HTTP, as the bench uses it: files are uploaded, questions asked.
import { readdirSync, readFileSync } from 'node:fs';
import type { Agent } from 'node:http';
import { join } from 'node:path';
import { ask, call, type Service } from '../support/service.ts';

const BOUNDARY = 'bench-boundary';
const VERSION = { 'x-pinecone-api-version': '2026-07' };
const PAUSE_MS = 100;

interface Reference {
  readonly file: { readonly name: string };
  readonly pages?: readonly number[];
}

export interface Reply {
  readonly content: string;
  /** In the order of the answer. */
  readonly references: readonly Reference[];
}

export interface FoundSnippet {
  readonly content: string;
  readonly reference: Reference;
}

export class BenchAssistant {
  readonly #agent: Agent;
  readonly #base: string;

  readonly #name: string;

  private constructor(agent: Agent, base: string, name: string) {
    this.#agent = agent;
    this.#base = base;
    this.#name = name;
  }

  static async create(agent: Agent, service: Service, name: string): Promise<BenchAssistant> {
    const { base } = service;
    await ask(agent, `${base}/assistant/assistants`, { name });
    while ((await ask(agent, `${base}/assistant/assistants/${name}`)).status !== 'Ready') await pause();
    return BenchAssistant.open(agent, service, name);
  }

  /** One that is ready. */
  static open(agent: Agent, { base }: Service, name: string): BenchAssistant {
    return new BenchAssistant(agent, `${base}/assistant`, name);
  }

  /** Uploads all files of a folder. All of them answer when it resolves. */
  async upload(folder: string): Promise<number> {
    const operations: string[] = [];
    const names = readdirSync(folder).sort();
    for (const name of names) operations.push(await this.#send(name, readFileSync(join(folder, name))));
    for (const [at, id] of operations.entries()) await this.#ended(id, names[at] ?? '');
    return names.length;
  }

  async chat(questions: readonly string[]): Promise<Reply> {
    const { message, citations } = (await ask(this.#agent, `${this.#base}/chat/${this.#name}`, {
      messages: asMessages(questions),
    })) as unknown as {
      readonly message: { readonly content: string };
      readonly citations: readonly { readonly references: readonly Reference[] }[];
    };
    return { content: message.content, references: citations.flatMap(({ references }) => references) };
  }

  async context(questions: readonly string[], topK: number): Promise<readonly FoundSnippet[]> {
    const body = { messages: asMessages(questions), top_k: topK };
    const { snippets } = await ask(this.#agent, `${this.#base}/chat/${this.#name}/context`, body);
    return snippets as unknown as readonly FoundSnippet[];
  }

  async #send(name: string, bytes: Buffer): Promise<string> {
    const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n\r\n`;
    const body = Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
    const type = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
    const { status, text } = await call(this.#agent, `${this.#base}/files/${this.#name}`, body, {
      ...VERSION,
      ...type,
    });
    if (status !== 202) throw new Error(`${name}: the upload was answered ${status}: ${text}`);
    return (JSON.parse(text) as { readonly id: string }).id;
  }

  async #ended(id: string, name: string): Promise<void> {
    for (;;) {
      const { status, error_message: error } = await ask(
        this.#agent,
        `${this.#base}/operations/${this.#name}/${id}`,
      );
      if (status === 'Completed') return;
      if (status === 'Failed') throw new Error(`${name} failed: ${String(error)}`);
      await pause();
    }
  }
}

function asMessages(questions: readonly string[]) {
  return questions.map((content) => ({ role: 'user', content }));
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
