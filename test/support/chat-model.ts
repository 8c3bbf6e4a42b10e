// A language model of the OpenAI form on loopback, that answers as the test tells it.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface AskedModel {
  readonly headers: IncomingHttpHeaders;
  readonly url: string;
  readonly body: {
    readonly model: string;
    readonly temperature?: number;
    readonly stream: boolean;
    readonly max_tokens?: number;
    readonly response_format?: { readonly type: string };
    readonly tools?: readonly object[];
    readonly tool_choice?: string;
    readonly messages: readonly {
      readonly role: string;
      readonly content: string;
      readonly tool_calls?: readonly object[];
      readonly tool_call_id?: string;
    }[];
  };
}

type ModelReply = (response: ServerResponse, asked: AskedModel) => void | Promise<void>;

export class ChatModelServer {
  readonly asked: AskedModel[] = [];
  reply: ModelReply = says('Nothing.');
  /** What it lists. */
  models: readonly object[] = [];
  readonly #server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ object: 'list', data: this.models }));
      return;
    }
    const text = Buffer.concat(await request.toArray()).toString();
    const asked = {
      headers: request.headers,
      url: request.url ?? '',
      body: JSON.parse(text) as AskedModel['body'],
    };
    this.asked.push(asked);
    await this.reply(response, asked);
  });

  /** Up to and without `/chat/completions`. */
  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Streams texts, then ends as models do. */
export function says(...texts: readonly string[]): ModelReply {
  return (response) => {
    begin(response);
    finish(response, ...texts);
  };
}

/** Ends what was begun. */
export function finish(response: ServerResponse, ...texts: readonly string[]): void {
  for (const content of texts) response.write(event({ content }, null));
  response.write(event({}, 'stop'));
  response.end('data: [DONE]\n\n');
}

/** Streams texts, and leaves the rest to the test. */
export function begin(response: ServerResponse, ...texts: readonly string[]): void {
  response.setHeader('content-type', 'text/event-stream');
  for (const content of texts) response.write(event({ content }, null));
}

/** Calls a tool, in parts as models do. */
export function calls(id: string, name: string, ...parts: readonly string[]): ModelReply {
  return (response) => {
    begin(response);
    response.write(
      event({ tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: '' } }] }, null),
    );
    for (const part of parts) {
      response.write(event({ tool_calls: [{ index: 0, function: { arguments: part } }] }, null));
    }
    response.write(event({}, 'tool_calls'));
    response.end('data: [DONE]\n\n');
  };
}

function event(delta: object, finishReason: string | null): string {
  return `data: ${JSON.stringify({ choices: [{ delta, finish_reason: finishReason }] })}\n\n`;
}
