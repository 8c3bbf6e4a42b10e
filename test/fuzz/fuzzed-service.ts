// A service for the fuzzer, with an index of each kind and other things to name; what requests delete comes back.
import { AdminService, OWNER } from '../support/admin.ts';
import { call } from '../support/call.ts';
import { API_KEY } from '../support/service.ts';
import type { FuzzTarget } from './fuzzer.ts';

const SPEC = { serverless: { cloud: 'aws', region: 'us-east-1' } };
const SCHEMA = {
  fields: {
    title: { type: 'string', full_text_search: {} },
    vector: { type: 'dense_vector', dimension: 3, metric: 'cosine' },
  },
};
const INDEXES = [
  { name: 'fuzz-dense', body: { dimension: 3, metric: 'cosine', spec: SPEC } },
  { name: 'fuzz-hybrid', body: { dimension: 3, metric: 'dotproduct', spec: SPEC } },
  { name: 'fuzz-sparse', body: { vector_type: 'sparse', metric: 'dotproduct', spec: SPEC } },
  {
    name: 'fuzz-documents',
    body: { schema: SCHEMA, deployment: { deployment_type: 'managed', cloud: 'aws', region: 'us-east-1' } },
  },
] as const;
const ASSISTANT = 'fuzz-assistant';
const NEWEST = '2026-07';
/** No model of a provider and no bucket of a stranger is called. */
const ENVIRONMENT = { PINYON_IMPORT_PUBLIC: 'false', PINYON_SEARCH_THREADS: '2' };

export class FuzzedService {
  readonly #admin: AdminService;
  readonly #token: string;
  readonly #known: string[] = ['a', 'b', 'group', 'title', 'vector', '__default__', ASSISTANT];
  #hosts: readonly string[] = [];

  private constructor(admin: AdminService, token: string) {
    this.#admin = admin;
    this.#token = token;
  }

  static async start(): Promise<FuzzedService> {
    const admin = await AdminService.start(ENVIRONMENT);
    const service = new FuzzedService(admin, await admin.token(OWNER));
    service.#known.push(...INDEXES.map(({ name }) => name));
    const project = await admin.body<{ id: string }>('POST', '/projects', { body: { name: 'fuzzed' } });
    service.#known.push(project.id);
    await service.repair();
    return service;
  }

  get target(): FuzzTarget {
    const known = this.#known;
    return {
      base: this.#admin.service.url,
      hosts: () => this.#hosts,
      key: API_KEY,
      token: this.#token,
      known,
    };
  }

  /** Makes the indexes and the assistant again that were deleted. */
  async repair(): Promise<void> {
    const { service } = this.#admin;
    const hosts: string[] = [];
    for (const { name, body } of INDEXES) {
      const path = `/indexes/${name}`;
      let answer = await service.call('GET', path, { version: NEWEST });
      if (answer.status === 404)
        answer = await service.call('POST', '/indexes', { version: NEWEST, body: { name, ...body } });
      const { host } = (answer.body ?? {}) as { readonly host?: string };
      if (host !== undefined) hosts.push(host);
    }
    this.#hosts = hosts;
    await service.call('POST', '/assistant/assistants', { version: NEWEST, body: { name: ASSISTANT } });
    await this.#forgetExtras();
  }

  /** Deletes the indexes and assistants that requests have made. */
  async #forgetExtras(): Promise<void> {
    const { service } = this.#admin;
    const { body } = await service.call('GET', '/indexes', { version: NEWEST });
    const { indexes = [] } = (body ?? {}) as { readonly indexes?: readonly { readonly name: string }[] };
    for (const { name } of indexes) {
      if (INDEXES.some((each) => each.name === name)) continue;
      const off = { deletion_protection: 'disabled' };
      await call(service.url, 'PATCH', `/indexes/${name}`, { key: API_KEY, version: NEWEST, body: off });
      await call(service.url, 'DELETE', `/indexes/${name}`, { key: API_KEY, version: NEWEST });
    }
  }

  /** What the server has logged, its last words among them. */
  get log(): string {
    return this.#admin.service.process.log;
  }

  dispose(): Promise<void> {
    return this.#admin.dispose();
  }
}
