// A client that makes and deletes indexes until the server dies, and knows which of them must exist then.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { call } from './call.ts';
import type { Random } from './random.ts';
import { API_KEY, type Service } from './service.ts';
import { HANG_MS } from './until.ts';

const NAMES = ['made-a', 'made-b', 'made-c'];

interface Listed {
  readonly name: string;
  readonly host: string;
  readonly status: { readonly ready: boolean };
}

export class CrashIndexes {
  readonly #service: Service;
  readonly #random: Random;
  /** Address of each index whose making was acknowledged, and whose deletion was not. */
  readonly #hosts = new Map<string, string>();
  /** The one whose last request is unanswered. */
  #unsure: string | undefined;

  constructor(service: Service, random: Random) {
    this.#service = service;
    this.#random = random;
  }

  async changeUntilCrash(): Promise<void> {
    while (true) {
      const name = this.#random.pick(NAMES);
      this.#unsure = name;
      try {
        if (this.#hosts.has(name)) await this.#delete(name);
        else await this.#create(name);
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        return;
      }
      this.#unsure = undefined;
    }
  }

  async #create(name: string): Promise<void> {
    const spec = { serverless: { cloud: 'aws', region: 'us-east-1' } };
    const answer = await this.#service.call('POST', '/indexes', { body: { name, dimension: 2, spec } });
    assert.equal(answer.status, 201, answer.text);
    this.#hosts.set(name, (answer.body as Listed).host);
  }

  async #delete(name: string): Promise<void> {
    const answer = await this.#service.call('DELETE', `/indexes/${name}`);
    assert.equal(answer.status, 202, answer.text);
    this.#hosts.delete(name);
    await this.#gone(name);
  }

  /** Every acknowledged index serves at its address; every acknowledged deletion holds. */
  async recover(): Promise<void> {
    const unsure = this.#unsure;
    this.#unsure = undefined;
    if (unsure !== undefined) await this.#learn(unsure);
    for (const name of NAMES) {
      const host = this.#hosts.get(name);
      if (host === undefined) await this.#gone(name);
      else await this.#serves(name, host);
    }
  }

  /** Waits until the index is there for good or gone for good. */
  async #learn(name: string): Promise<void> {
    const until = performance.now() + HANG_MS;
    while (true) {
      const { status, body } = await this.#service.call('GET', `/indexes/${name}`);
      if (status === 404) {
        this.#hosts.delete(name);
        return;
      }
      const { host, status: state } = body as Listed;
      if (state.ready) {
        this.#hosts.set(name, host);
        return;
      }
      this.#assertBefore(until, `${name} is neither ready nor gone`);
      await sleep(20);
    }
  }

  async #serves(name: string, host: string): Promise<void> {
    const { body } = await this.#service.call('GET', `/indexes/${name}`);
    assert.equal((body as Listed).host, host, `address of ${name}`);
    const stats = await call(host, 'POST', '/describe_index_stats', { key: API_KEY, body: {} });
    assert.equal(stats.status, 200, `${name}: ${stats.text}`);
  }

  async #gone(name: string): Promise<void> {
    const until = performance.now() + HANG_MS;
    while ((await this.#service.call('GET', `/indexes/${name}`)).status !== 404) {
      this.#assertBefore(until, `${name} is not gone`);
      await sleep(20);
    }
  }

  /** What the server could not do behind a request, only its log says. */
  #assertBefore(until: number, otherwise: string): void {
    assert.ok(performance.now() < until, `${otherwise}: ${this.#service.process.log || 'nothing logged'}`);
  }
}
