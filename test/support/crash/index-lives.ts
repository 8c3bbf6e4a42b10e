// Indexes that are created and deleted again and again: what was acknowledged holds after a crash.
import assert from 'node:assert/strict';
import { call } from '../call.ts';
import type { Random } from '../random.ts';
import { API_KEY, type Service } from '../service.ts';
import { found, until } from '../until.ts';
import { type Activity, untilGone } from './activity.ts';
import { ABSENT, History } from './history.ts';

const NAMES = ['made-a', 'made-b'];
const SPEC = { serverless: { cloud: 'aws', region: 'us-east-1' } };

interface Described {
  readonly host: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly status: { readonly ready: boolean; readonly state: string };
}

export class IndexLives implements Activity {
  readonly name = 'indexes';
  readonly #random: Random;
  readonly #histories = new Map(NAMES.map((name) => [name, new History(`index ${name}`)]));
  #service: Service | undefined;

  constructor(random: Random) {
    this.#random = random;
  }

  get acknowledged(): number {
    return [...this.#histories.values()].reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  }

  prepare(service: Service): Promise<void> {
    this.#service = service;
    return Promise.resolve();
  }

  work(): Promise<void> {
    return untilGone(async () => {
      const [name, history] = this.#random.pick([...this.#histories]);
      if ((await this.#describe(name)) === null) await this.#create(name, history);
      else await this.#delete(name, history);
    });
  }

  async verify(at: bigint): Promise<void> {
    for (const [name, history] of this.#histories) {
      const index = await this.#settled(name);
      history.assertPossible(index === null ? ABSENT : Number(index.tags?.version), at);
      if (index === null) continue;
      const stats = await call(index.host, 'POST', '/describe_index_stats', { key: API_KEY, body: {} });
      assert.equal(stats.status, 200, `${name}: ${stats.text}`);
    }
  }

  async #create(name: string, history: History): Promise<void> {
    const version = history.nextVersion();
    const body = { name, dimension: 2, metric: 'cosine', spec: SPEC, tags: { version: String(version) } };
    await history.request(version, async () => {
      const { status, text } = await this.#call('POST', '/indexes', body);
      assert.equal(status, 201, text);
    });
  }

  async #delete(name: string, history: History): Promise<void> {
    await history.request(ABSENT, async () => {
      const { status, text } = await this.#call('DELETE', `/indexes/${name}`);
      // A deletion that a kill interrupted goes on after the start.
      assert.ok(status === 202 || status === 404, text);
    });
    await until(async () => (await this.#describe(name)) === null, `${name} to be gone`);
  }

  /** Null when it is gone. */
  #settled(name: string): Promise<Described | null> {
    return found(async () => {
      const index = await this.#describe(name);
      return index === null || index.status.ready ? index : undefined;
    }, `${name} to be ready or gone`);
  }

  async #describe(name: string): Promise<Described | null> {
    const { status, body, text } = await this.#call('GET', `/indexes/${name}`);
    assert.ok(status === 200 || status === 404, text);
    return status === 404 ? null : (body as Described);
  }

  #call(method: string, path: string, body?: unknown) {
    if (this.#service === undefined) throw new Error('not prepared');
    return this.#service.call(method, path, body === undefined ? {} : { body });
  }
}
