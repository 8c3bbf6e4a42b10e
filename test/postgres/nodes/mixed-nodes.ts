// Nodes of the tests that share a catalog, each with records of its own, and what their clients do.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../../support/call.ts';
import { KEY, WholeNode } from './whole-node.ts';

export const NODE_SECRET = 'node_secret_0123456789abcdefghijklmnopqrstuvwxyz';
export const ADMIN = { id: 'mixed-admin-0123456789', secret: 'mixed_secret_0123456789abcdefghijklmnopqr' };

const SPEC = { serverless: { cloud: 'aws', region: 'us-east-1' } };

export interface ListedNode {
  readonly id: string;
  readonly address: string;
  readonly alive: boolean;
  readonly placed: number;
}

export class MixedNodes {
  readonly nodes: readonly WholeNode[];

  private constructor(nodes: readonly WholeNode[]) {
    this.nodes = nodes;
  }

  static async start(
    names: readonly string[],
    { folder, url, env = {} }: { folder: string; url: string; env?: Readonly<Record<string, string>> },
  ): Promise<MixedNodes> {
    const nodes: WholeNode[] = [];
    for (const name of names) {
      const port = String(await freePort());
      nodes.push(
        new WholeNode({
          name,
          folder,
          env: {
            PINYON_DATABASE_URL: url,
            PINYON_ENGINE: 'embedded',
            PINYON_PORT: port,
            PINYON_NODE_ADDRESS: `http://127.0.0.1:${port}`,
            PINYON_NODE_SECRET: NODE_SECRET,
            PINYON_ADMIN_CLIENT_ID: ADMIN.id,
            PINYON_ADMIN_CLIENT_SECRET: ADMIN.secret,
            PINYON_SEARCH_THREADS: '1',
            PINYON_WRITE_THREADS: '1',
            PINYON_BUILD_THREADS: '1',
            ...env,
          },
        }),
      );
    }
    const mixed = new MixedNodes(nodes);
    await Promise.all(nodes.map((node) => node.start()));
    return mixed;
  }

  at(number: number): WholeNode {
    const node = this.nodes[number % this.nodes.length];
    if (node === undefined) throw new Error('There is no node.');
    return node;
  }

  /** Creates an index through a node. @returns its host */
  async createIndex(name: string, through: number, dimension = 3): Promise<string> {
    const body = { name, dimension, metric: 'euclidean', spec: SPEC };
    const answer = await this.at(through).call('POST', '/indexes', { body });
    assert.equal(answer.status, 201, answer.text);
    return (answer.body as { readonly host: string }).host;
  }

  /** Repeats a call at the next node while connections fail or nodes answer 503, as clients behind a load balancer do. */
  async anywhere(first: number, ...call: Parameters<WholeNode['call']>): Promise<Answer> {
    for (let at = first; ; at++) {
      const answer = await this.at(at)
        .call(...call)
        .catch(() => null);
      if (answer !== null && answer.status !== 503 && answer.status !== 429) return answer;
      await sleep(20);
    }
  }

  async kill(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
  }
}

export { KEY };

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('The port is unknown.');
  return address.port;
}
