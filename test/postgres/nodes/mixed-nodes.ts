// Nodes of the tests that share a catalog, each with records of its own, and what their clients do.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Credentials, tokenOf } from '../../support/admin.ts';
import { type Answer, call } from '../../support/call.ts';
import { KEY, WholeNode } from './whole-node.ts';

export const NODE_SECRET = 'node_secret_0123456789abcdefghijklmnopqrstuvwxyz';
const ADMIN: Credentials = {
  clientId: 'mixed-admin-0123456789',
  clientSecret: 'mixed_secret_0123456789abcdefghijklmnopqrstuvwxyz',
};

const SPEC = { serverless: { cloud: 'aws', region: 'us-east-1' } };

export interface ListedMove {
  readonly state: string;
  readonly step: string;
  readonly error: string | null;
  readonly node: string;
  readonly writes_held_ms: number | null;
  readonly records_copied: number;
  readonly complete_until?: string | null;
  readonly backup_id?: string | null;
}

export type Movable = 'indexes' | 'assistants';

interface MoveOptions {
  readonly kind?: Movable;
  readonly from_backup?: string;
  readonly from_files?: boolean;
}

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
            PINYON_ADMIN_CLIENT_ID: ADMIN.clientId,
            PINYON_ADMIN_CLIENT_SECRET: ADMIN.clientSecret,
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

  /** A call of the administration, at whichever node answers. */
  async admin<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    for (let at = 0; ; at++) {
      const { url } = this.at(at);
      const answer = await tokenOf(url, ADMIN)
        .then((token) =>
          call(url, method, `/admin${path}`, {
            headers: { authorization: `Bearer ${token}` },
            ...(body !== undefined && { body }),
          }),
        )
        .catch(() => null);
      if (answer === null || answer.status === 503) await sleep(50);
      else if (answer.status < 300) return answer.body as Body;
      else throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    }
  }

  async list(): Promise<readonly ListedNode[]> {
    return (await this.admin<{ readonly data: readonly ListedNode[] }>('GET', '/nodes')).data;
  }

  async projectId(): Promise<string> {
    const { data } = await this.admin<{ readonly data: readonly { readonly id: string }[] }>(
      'GET',
      '/projects',
    );
    return data[0]?.id ?? '';
  }

  /** Begins to move an index to a node of the list. */
  async move(
    name: string,
    node: string,
    { kind = 'indexes', ...more }: MoveOptions = {},
  ): Promise<ListedMove> {
    const path = `/projects/${await this.projectId()}/${kind}/${name}/move`;
    return (await this.admin<{ readonly move: ListedMove }>('POST', path, { node, ...more })).move;
  }

  async latestMove(name: string, kind: Movable = 'indexes'): Promise<ListedMove | null> {
    const path = `/projects/${await this.projectId()}/${kind}/${name}/move`;
    return (await this.admin<{ readonly move: ListedMove | null }>('GET', path)).move;
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
