// Calls between nodes that move an index: the sending side, over the connections that forward requests.
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { CopyState, RemoteCopies, RemoteCopy } from '../../app/nodes/remote-copies.ts';
import type { IndexSize } from '../../domain/index-model.ts';
import { isJsonObject } from '../../domain/json.ts';
import type { Node } from '../../domain/nodes/node.ts';
import { overloaded } from '../../domain/overload.ts';
import { boundConnecting } from '../../platform/bound-connecting.ts';
import type { NodeConnections } from './node-connections.ts';
import { NODE_SECRET_HEADER } from './node-headers.ts';
import type { OfferedExports } from './offered-exports.ts';

const ANSWER_BYTES_MAX = 64 * 1024;
const OK = 200;
const TOO_MANY_REQUESTS = 429;
const FIRST_ERROR_STATUS = 400;

export interface NodeCallsParts {
  /** This node. */
  readonly selfId: string;
  readonly exports: OfferedExports;
  readonly secret: string;
  readonly connections: NodeConnections;
}

interface Call {
  readonly node: Node;
  readonly method: string;
  readonly path: string;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal;
}

export class NodeCalls implements RemoteCopies {
  readonly #parts: NodeCallsParts;

  constructor(parts: NodeCallsParts) {
    this.#parts = parts;
  }

  async import(
    copy: RemoteCopy,
    bytes: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<{ readonly recordCount: number }> {
    const { selfId, exports } = this.#parts;
    // The other node fetches it: requests must be whole within a time, answers need not.
    const withdraw = exports.offer(copy.storageId, bytes);
    try {
      const path = `${pathOf(copy)}/import?from=${encodeURIComponent(selfId)}`;
      return (await this.#call({ node: copy.node, path, method: 'POST', signal })) as {
        readonly recordCount: number;
      };
    } finally {
      withdraw();
    }
  }

  /** What another node offers. Its pieces may be kept, and their buffers transferred. */
  async *download(node: Node, storageId: string): AsyncGenerator<Uint8Array> {
    const answer = await this.#open({ node, method: 'GET', path: `/node/exports/${storageId}` });
    try {
      if (answer.statusCode !== OK) throw new Error(`node ${node.address} offers no such copy`);
      // Pieces of a connection share their buffers.
      for await (const piece of answer) yield Uint8Array.from(piece);
    } finally {
      answer.destroy();
    }
  }

  async create(copy: RemoteCopy): Promise<void> {
    await this.#call({ node: copy.node, method: 'POST', path: `${pathOf(copy)}/create` });
  }

  async upsert(copy: RemoteCopy, namespace: string, body: Uint8Array): Promise<void> {
    const path = `${pathOf(copy)}/records?namespace=${encodeURIComponent(namespace)}`;
    await this.#call({ node: copy.node, method: 'POST', path, body });
  }

  async follow(copy: RemoteCopy, step: Parameters<RemoteCopies['follow']>[1]): Promise<void> {
    const body = Buffer.from(JSON.stringify(step));
    await this.#call({ node: copy.node, method: 'POST', path: `${pathOf(copy)}/steps`, body });
  }

  async describe(copy: RemoteCopy): Promise<CopyState> {
    return (await this.#call({ ...at(copy), method: 'GET' })) as CopyState;
  }

  async drop(copy: RemoteCopy): Promise<void> {
    await this.#call({ ...at(copy), method: 'DELETE' });
  }

  async sizeOf(node: Node, indexId: string): Promise<IndexSize> {
    return (await this.#call({ node, method: 'GET', path: `/node/sizes/${indexId}` })) as IndexSize;
  }

  async refresh(node: Node): Promise<void> {
    await this.#call({ node, method: 'POST', path: '/node/refresh' });
  }

  /** @throws overloaded, an error with what the other node said, and those of the connection */
  async #call(call: Call): Promise<unknown> {
    return contentOf(call.node, await this.#open(call));
  }

  /** The head of the answer. The call is cut off when the node is found dead before the answer's end. */
  async #open({ node, method, path, body, signal }: Call): Promise<IncomingMessage> {
    const { secret, connections } = this.#parts;
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const ending = new AbortController();
    const leave = connections.enter(node, () => ending.abort(new Error(`node ${node.address} is gone`)));
    const send = node.address.startsWith('https:') ? httpsRequest : httpRequest;
    const length = body !== undefined ? { 'content-length': String(body.byteLength) } : {};
    const sent = send(new URL(path, node.address), {
      agent: connections.agentOf(node),
      method,
      headers: { [NODE_SECRET_HEADER]: secret, ...length },
      ...(signal !== undefined && { signal }),
    });
    boundConnecting(sent, connections.connectMs);
    ending.signal.addEventListener('abort', () => sent.destroy(ending.signal.reason));
    sent
      .on('error', reject)
      .once('response', resolve)
      .once('close', () => leave());
    sent.end(body);
    return promise;
  }
}

function at(copy: RemoteCopy): Pick<Call, 'node' | 'path'> {
  return { node: copy.node, path: pathOf(copy) };
}

function pathOf({ indexId, storageId }: RemoteCopy): string {
  return `/node/copies/${indexId}/${storageId}`;
}

/** Both nodes are of one release or two that follow each other, and know the secret: their answers have the form of their calls. */
async function contentOf(node: Node, answer: IncomingMessage): Promise<unknown> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer) {
    bytes += piece.byteLength;
    if (bytes > ANSWER_BYTES_MAX) throw new Error(`node ${node.address} answers too much`);
    pieces.push(piece);
  }
  const text = Buffer.concat(pieces).toString();
  const { statusCode = 0 } = answer;
  if (statusCode === TOO_MANY_REQUESTS) throw overloaded();
  if (statusCode >= FIRST_ERROR_STATUS) throw new Error(`node ${node.address} refuses: ${messageIn(text)}`);
  return text === '' ? null : JSON.parse(text);
}

function messageIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    const error = isJsonObject(body) && isJsonObject(body.error) ? body.error : body;
    return isJsonObject(error) && typeof error.message === 'string' ? error.message : text;
  } catch {
    return text;
  }
}
