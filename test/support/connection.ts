// One connection to one index: every call goes over the same socket and must succeed.
import { Agent } from 'node:http';
import { type Answer, call } from './call.ts';
import type { Match, ModelRecord } from './model.ts';
import { API_KEY } from './service.ts';

type Body = Readonly<Record<string, unknown>>;

export class Connection {
  readonly #host: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(host: string) {
    this.#host = host;
  }

  /** Any call, whatever its answer. */
  call(method: string, path: string, body?: unknown): Promise<Answer> {
    return call(this.#host, method, path, { key: API_KEY, agent: this.#agent, body });
  }

  /** @throws unless the answer is 200 */
  async post<Reply = unknown>(path: string, body: Body): Promise<Reply> {
    const answer = await this.call('POST', path, body);
    if (answer.status !== 200) throw new Refused(`${path}: ${answer.status} ${answer.text}`, answer);
    return answer.body as Reply;
  }

  async upsert(namespace: string, vectors: readonly ModelRecord[]): Promise<void> {
    await this.post('/vectors/upsert', { namespace, vectors });
  }

  async query(body: Body): Promise<readonly Match[]> {
    const { matches } = await this.post<{ readonly matches: readonly Match[] }>('/query', body);
    return matches;
  }

  /** The records found, by id. */
  async fetch(namespace: string, ids: readonly string[]): Promise<ReadonlyMap<string, ModelRecord>> {
    const query = new URLSearchParams([['namespace', namespace], ...ids.map((id) => ['ids', id])]);
    const answer = await this.call('GET', `/vectors/fetch?${query}`);
    if (answer.status !== 200) throw new Refused(`fetch: ${answer.status} ${answer.text}`, answer);
    const { vectors } = answer.body as { readonly vectors: Readonly<Record<string, ModelRecord>> };
    return new Map(Object.entries(vectors));
  }

  /** Every id of a namespace, page by page. */
  async listIds(namespace: string): Promise<readonly string[]> {
    const ids: string[] = [];
    let token: string | undefined;
    do {
      const query = new URLSearchParams({
        namespace,
        ...(token === undefined ? {} : { paginationToken: token }),
      });
      const { body, status, text } = await this.call('GET', `/vectors/list?${query}`);
      if (status !== 200) throw new Error(`list: ${status} ${text}`);
      const page = body as { vectors: { id: string }[]; pagination?: { next: string } };
      ids.push(...page.vectors.map(({ id }) => id));
      token = page.pagination?.next;
    } while (token !== undefined);
    return ids;
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** The server answered, with a refusal. */
export class Refused extends Error {
  readonly answer: Answer;

  constructor(message: string, answer: Answer) {
    super(message);
    this.answer = answer;
  }
}
