// A document index over the wire: created, written, and read back document by document.
import assert from 'node:assert/strict';
import { call } from './call.ts';
import { API_KEY, type Service } from './service.ts';
import { found } from './until.ts';

export type Json = Readonly<Record<string, unknown>>;

const DEPLOYMENT = { deployment_type: 'managed', cloud: 'aws', region: 'us-east-1' };
const VERSION = '2026-07';
const FETCHED_MAX = 10_000;

/** Sends a request and requires a status of success. */
export async function ask(host: string, method: string, path: string, body?: unknown): Promise<Json> {
  const options = { key: API_KEY, version: VERSION, ...(body === undefined ? {} : { body }) };
  const answer = await call(host, method, path, options);
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body as Json;
}

/** One index and its address. */
export class DocumentIndex {
  readonly name: string;
  readonly host: string;

  constructor(name: string, host: string) {
    this.name = name;
    this.host = host;
  }

  static async create(service: Service, name: string, fields: Json): Promise<DocumentIndex> {
    const body = { name, deployment: DEPLOYMENT, schema: { fields } };
    const { host } = await ask(service.url, 'POST', '/indexes', body);
    return new DocumentIndex(name, String(host));
  }

  /** Waits for an index that a restore makes. */
  static async ready(service: Service, name: string): Promise<DocumentIndex> {
    const host = await found(async () => {
      const { host, status } = await ask(service.url, 'GET', `/indexes/${name}`);
      return (status as Json).ready === true ? String(host) : undefined;
    });
    return new DocumentIndex(name, host);
  }

  documents(what: string, body: unknown, namespace = '__default__'): Promise<Json> {
    return ask(this.host, 'POST', `/namespaces/${encodeURIComponent(namespace)}/documents/${what}`, body);
  }

  upsert(documents: readonly Json[], namespace?: string): Promise<Json> {
    return this.documents('upsert', { documents }, namespace);
  }

  /** The ids of the documents that match a word, best first. */
  async matching(query: string, namespace?: string): Promise<readonly unknown[]> {
    const body = { score_by: [{ type: 'query_string', query }], top_k: 100 };
    const { matches } = await this.documents('search', body, namespace);
    return (matches as readonly Json[]).map(({ _id }) => _id);
  }

  /** Every document, by id. */
  async all(namespace?: string): Promise<Json> {
    const every = { filter: { $or: [{ none: { $exists: false } }, { none: { $exists: true } }] } };
    const { documents } = await this.documents('fetch', { ...every, limit: FETCHED_MAX }, namespace);
    return documents as Json;
  }

  /** Runs an import or an export to its end. */
  async transferred(what: 'imports' | 'exports', body: unknown): Promise<Json> {
    const { id } = await ask(this.host, 'POST', `/bulk/${what}`, body);
    return found(async () => {
      const state = await ask(this.host, 'GET', `/bulk/${what}/${id}`);
      return ['Pending', 'InProgress'].includes(String(state.status)) ? undefined : state;
    });
  }
}
