// A document index of the service under test: texts for words and, with a model, for meaning; filled and searched over HTTP.
import type { Agent } from 'node:http';
import { type HttpTarget, httpAnswerLength, httpRequest } from '../peers/servers/http-wire.ts';
import { Lane } from '../peers/servers/lane.ts';
import { ask, KEY, type Service } from '../support/service.ts';

/** Written by one request: an index that embeds takes no more. */
const BATCH = 96;
const CONNECTIONS = 4;
const DOCUMENTS_PATH = '/namespaces/texts/documents';

export type Clause = Readonly<Record<string, unknown>>;

/** Its documents have their numbers as ids. */
export class DocumentIndex {
  readonly #agent: Agent;
  readonly #documents: string;
  readonly #target: HttpTarget;

  private constructor(agent: Agent, host: string) {
    this.#agent = agent;
    this.#documents = `${host}${DOCUMENTS_PATH}`;
    this.#target = { port: Number(new URL(host).port), headers: { 'api-key': KEY } };
  }

  /** @param fields of the schema */
  static async create(
    agent: Agent,
    { base }: Service,
    { name, fields }: { readonly name: string; readonly fields: object },
  ): Promise<DocumentIndex> {
    const index = await ask(agent, `${base}/indexes`, {
      name,
      deployment: { deployment_type: 'managed', cloud: 'aws', region: 'us-east-1' },
      schema: { fields },
    });
    return new DocumentIndex(agent, String(index.host));
  }

  /** @returns the seconds that it took */
  async fill(documents: readonly object[]): Promise<number> {
    const started = performance.now();
    let next = 0;
    const writer = async () => {
      while (next < documents.length) {
        const first = next;
        next += BATCH;
        const batch = documents
          .slice(first, first + BATCH)
          .map((document, at) => ({ _id: String(first + at), ...document }));
        await ask(this.#agent, `${this.#documents}/upsert`, { documents: batch });
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, writer));
    return (performance.now() - started) / 1_000;
  }

  /** A connection whose client takes as little processor time as it can. */
  openLane(): Promise<Lane> {
    return Lane.open({ port: this.#target.port, host: 'localhost' }, httpAnswerLength);
  }

  /** A search as the bytes to send. */
  searchRequest(
    clauses: readonly Clause[],
    { topK, more = {} }: { readonly topK: number; readonly more?: object },
  ): Buffer {
    return httpRequest(this.#target, `${DOCUMENTS_PATH}/search`, { score_by: clauses, top_k: topK, ...more });
  }

  /** @returns the numbers of the matches, best first */
  async search(
    clauses: readonly Clause[],
    { topK, more = {} }: { readonly topK: number; readonly more?: object },
  ): Promise<readonly number[]> {
    const body = { score_by: clauses, top_k: topK, ...more };
    const { matches } = (await ask(this.#agent, `${this.#documents}/search`, body)) as {
      readonly matches: readonly { readonly _id: string }[];
    };
    return matches.map(({ _id }) => Number(_id));
  }
}
