// Backups that are made, restored and deleted again and again: a backup that was ready stays whole.
import assert from 'node:assert/strict';
import { call } from '../call.ts';
import { API_KEY, type Service } from '../service.ts';
import { found, until } from '../until.ts';
import { type Activity, untilGone } from './activity.ts';
import { ABSENT, History } from './history.ts';

const SOURCE = 'backed-up';
const RECORDS = 300;
const DIMENSION = 8;
const READY = 1;
const KEPT = 2;
/** A restore that several kills interrupted fails. */
const SETTLED = ['Ready', 'InitializationFailed'];

interface Described {
  readonly host: string;
  readonly status: { readonly state: string };
}

interface Backup {
  readonly backup_id: string;
  readonly status: string;
}

export class Backups implements Activity {
  readonly name = 'backups';
  /** By the id of the backup. */
  readonly #histories = new Map<string, History>();
  readonly #kept: string[] = [];
  #restores = 0;
  #service: Service | undefined;

  get acknowledged(): number {
    return [...this.#histories.values()].reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  }

  async prepare(service: Service): Promise<void> {
    this.#service = service;
    const host = await service.createIndex({ name: SOURCE, dimension: DIMENSION, metric: 'euclidean' });
    const vectors = Array.from({ length: RECORDS }, (_, i) => ({
      id: `r${i}`,
      values: Array.from({ length: DIMENSION }, (_, at) => 1 + ((i * at) % 17)),
      metadata: { number: i },
    }));
    const { status, text } = await call(host, 'POST', '/vectors/upsert', { key: API_KEY, body: { vectors } });
    assert.equal(status, 200, text);
  }

  work(): Promise<void> {
    return untilGone(async () => {
      const id = await this.#backUp();
      await this.#restore(id);
      this.#kept.push(id);
      const oldest = this.#kept.length > KEPT ? this.#kept.shift() : undefined;
      if (oldest === undefined) return;
      await this.#histories.get(oldest)?.request(ABSENT, () => this.#ask('DELETE', `/backups/${oldest}`));
    });
  }

  async verify(at: bigint): Promise<void> {
    for (const [id, history] of this.#histories) {
      if (history.possible(at).length === 1 && history.possible(at)[0] === ABSENT) continue;
      const state = await found(() => this.#settled(id), `backup ${id} to be settled`);
      history.assertPossible(state, at);
    }
    await this.#clearRestored();
  }

  /** Resolves to the id of a backup that is ready. */
  async #backUp(): Promise<string> {
    const { backup_id: id } = await this.#ask<Backup>('POST', `/indexes/${SOURCE}/backups`, {});
    const history = new History(`backup ${id}`);
    this.#histories.set(id, history);
    await history.request(READY, () =>
      until(async () => (await this.#ask<Backup>('GET', `/backups/${id}`)).status === 'Ready', 'a backup'),
    );
    return id;
  }

  async #restore(id: string): Promise<void> {
    const name = `restored-${++this.#restores}`;
    await this.#ask('POST', `/backups/${id}/create-index`, { name });
    await this.#clear(name);
  }

  /** Restores that a crash interrupted go on, and are whole. */
  async #clearRestored(): Promise<void> {
    const { indexes } = await this.#ask<{ readonly indexes: readonly { readonly name: string }[] }>(
      'GET',
      '/indexes',
    );
    for (const { name } of indexes) if (name.startsWith('restored-')) await this.#clear(name);
  }

  /** Waits until it is restored, compares it and deletes it. */
  async #clear(name: string): Promise<void> {
    const path = `/indexes/${name}`;
    const end = await found(async () => {
      const { status, body } = await this.#call('GET', path);
      if (status === 404) return null;
      const described = body as Described;
      return SETTLED.includes(described.status.state) ? described : undefined;
    }, `${name} to be restored`);
    if (end === null) return;
    if (end.status.state === 'Ready') {
      const stats = await call(end.host, 'POST', '/describe_index_stats', { key: API_KEY, body: {} });
      assert.equal((stats.body as { totalVectorCount: number }).totalVectorCount, RECORDS, stats.text);
    }
    await this.#ask('DELETE', path);
    await until(async () => (await this.#call('GET', path)).status === 404, `${name} to be gone`);
  }

  /** Undefined while it is being made or deleted. */
  async #settled(id: string): Promise<number | undefined> {
    const { status, body } = await this.#call('GET', `/backups/${id}`);
    if (status === 404) return ABSENT;
    const { status: state } = body as Backup;
    // Several kills while it was made may have ended it.
    if (state === 'Failed') return ABSENT;
    return state === 'Ready' ? READY : undefined;
  }

  async #ask<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    const answer = await this.#call(method, path, body);
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
    return answer.body as Body;
  }

  #call(method: string, path: string, body?: unknown) {
    if (this.#service === undefined) throw new Error('not prepared');
    return this.#service.call(method, path, { version: '2026-04', ...(body !== undefined && { body }) });
  }
}
