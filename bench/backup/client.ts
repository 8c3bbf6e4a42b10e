// The benchmark's client: creates and fills an index, waits for backups and restores, runs queries.
import { Agent } from 'node:http';
import type { DataSet } from '../support/data-set.ts';
import { processorSeconds } from '../support/process-load.ts';
import { ask, call, type Service } from '../support/service.ts';

const BATCH = 100;
const CONNECTIONS = 4;
const POLL_MS = 10;
/** A build may begin seconds after the index has been loaded. */
const QUIET_LOOKS = 20;
const QUIET_MS = 500;

export interface Course {
  readonly ms: number;
  /** Of the service, all threads. */
  readonly processorSeconds: number;
}

export interface Backup extends Course {
  readonly id: string;
  readonly storedBytes: number;
}

export class Client {
  readonly #service: Service;
  readonly #data: DataSet;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  readonly #hosts = new Map<string, string>();

  constructor(service: Service, data: DataSet) {
    this.#service = service;
    this.#data = data;
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Creates an index of the first records, and waits until its graph is built. */
  async fill(name: string, records: number): Promise<void> {
    const spec = { serverless: { cloud: 'aws', region: 'us-east-1' } };
    const facts = { name, dimension: this.#data.dimension, metric: 'cosine', spec };
    const host = String((await this.#ask('/indexes', facts)).host);
    this.#hosts.set(name, host);
    let next = 0;
    const lane = async () => {
      for (let at = next; at < records; at = next) {
        next += BATCH;
        await ask(this.#agent, `${host}/vectors/upsert`, this.#upsertBody(at, records));
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, lane));
    // A query makes sure that the index is loaded and its graph built.
    await this.query(name, 0);
    await this.#built();
    for (let at = 0; at < this.#data.queries.length; at += 1) await this.query(name, at);
  }

  async query(name: string, at: number): Promise<void> {
    const vector = Array.from(this.#data.queries[at % this.#data.queries.length] ?? []);
    const body = Buffer.from(JSON.stringify({ vector, topK: 10 }));
    await ask(this.#agent, `${this.#hosts.get(name)}/query`, body);
  }

  /** Milliseconds of the first query of a restored index. */
  async firstQuery(name: string): Promise<number> {
    this.#hosts.set(name, String((await this.#ask(`/indexes/${name}`)).host));
    return (await this.timed(() => this.query(name, 0))).ms;
  }

  async backup(name: string): Promise<Backup> {
    let id = '';
    let last: Record<string, unknown> = {};
    const course = await this.timed(async () => {
      id = String((await this.#ask(`/indexes/${name}/backups`, {})).backup_id);
      last = await this.#until(`/backups/${id}`, 'Initializing');
    });
    if (last.status !== 'Ready') throw new Error(`the backup is ${last.status}`);
    return { ...course, id, storedBytes: Number(last.size_bytes) };
  }

  async restore(backupId: string, name: string): Promise<Course> {
    let last: Record<string, unknown> = {};
    const course = await this.timed(async () => {
      const { restore_job_id: job } = await this.#ask(`/backups/${backupId}/create-index`, { name });
      last = await this.#until(`/restore-jobs/${job}`, 'Pending');
    });
    if (last.status !== 'Completed') throw new Error(`the restore is ${last.status}`);
    return course;
  }

  async timed(work: () => Promise<unknown>): Promise<Course> {
    const before = processorSeconds(this.#service.pid);
    const started = performance.now();
    await work();
    const ms = performance.now() - started;
    return { ms, processorSeconds: processorSeconds(this.#service.pid) - before };
  }

  #ask(path: string, body?: unknown): Promise<Record<string, unknown>> {
    return ask(this.#agent, `${this.#service.base}${path}`, body);
  }

  async #until(path: string, passing: string): Promise<Record<string, unknown>> {
    for (;;) {
      const answer = await this.#ask(path);
      if (answer.status !== passing) return answer;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** Resolves when no build runs or follows: its threads would be measured with the copies. */
  async #built(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_LOOKS; ) {
      const { text } = await call(this.#agent, `${this.#service.base}/metrics`);
      quiet = text.includes('pinyon_build_slots{') ? 0 : quiet + 1;
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    }
  }

  #upsertBody(first: number, end: number): Buffer {
    const rows = this.#data.base.slice(first, Math.min(first + BATCH, end));
    const vectors = rows.map((row, at) => ({
      id: `record-${first + at}`,
      values: Array.from(row, (value) => Number(value.toPrecision(9))),
      metadata: { group: at % 10 },
    }));
    return Buffer.from(JSON.stringify({ vectors }));
  }
}
