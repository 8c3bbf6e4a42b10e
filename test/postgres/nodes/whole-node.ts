// A node of the tests that is the whole program, one of several on a database; it keeps its folder over kills.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, call } from '../../support/call.ts';
import { ServerProcess } from '../../support/server-process.ts';

const DOMAIN = 'pinyon.localhost';
export const KEY = 'pcsk_nodes_0123456789abcdefghij';

export interface WholeNodeOptions {
  readonly name: string;
  /** Of all nodes. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

export class WholeNode {
  readonly #options: WholeNodeOptions;
  #process: ServerProcess | null = null;
  #url = '';

  constructor(options: WholeNodeOptions) {
    this.#options = options;
  }

  get url(): string {
    return this.#url;
  }

  get pid(): number {
    return this.#process?.pid ?? Number.NaN;
  }

  async start(): Promise<void> {
    const { name, folder, env } = this.#options;
    mkdirSync(join(folder, 'blobs'), { recursive: true });
    this.#process = new ServerProcess({
      env: {
        PINYON_DATA_DIR: join(folder, name),
        PINYON_PORT: '0',
        PINYON_ENGINE: 'postgres',
        PINYON_PUBLIC_DOMAIN: DOMAIN,
        PINYON_PUBLIC_PORT: '80',
        PINYON_API_KEY: KEY,
        PINYON_BLOBS: `file://${join(folder, 'blobs')}`,
        PINYON_IMPORT_FROM: `file://${folder}`,
        PINYON_LOG_LEVEL: 'error',
        ...env,
      },
    });
    this.#url = await this.#process.ready();
  }

  async kill(): Promise<void> {
    await this.#process?.end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#process?.end('SIGTERM');
  }

  get log(): string {
    return this.#process?.log ?? '';
  }

  /** @param index its host name; by default the base address */
  call(
    method: string,
    path: string,
    { index, body }: { readonly index?: string; readonly body?: unknown } = {},
  ): Promise<Answer> {
    const headers = index === undefined ? {} : { headers: { host: new URL(index).host } };
    return call(this.#url, method, path, { key: KEY, ...headers, ...(body !== undefined && { body }) });
  }
}
