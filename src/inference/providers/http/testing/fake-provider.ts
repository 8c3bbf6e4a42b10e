// A fake provider on loopback, and an inference port with it as its only provider.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Inference } from '../../../../domain/inference/port.ts';
import type { ProviderError } from '../../../provider-errors.ts';
import { servedModels } from '../../../served-models.ts';
import { broughtModel } from '../../../settings/describe-model.ts';
import { type HttpSetting, readProviderSettings } from '../../../settings/provider-settings.ts';
import { openHttpModel } from '../open-http-model.ts';

export interface Received {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

export type Answer = (received: Received, response: ServerResponse) => void;

export interface FakeProvider {
  readonly url: string;
  readonly received: Received[];
  /** The answer to all further requests. */
  answer: Answer;
  close(): void;
}

export async function fakeProvider(answer: Answer): Promise<FakeProvider> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const text = await bodyOf(request);
    const one = {
      path: request.url ?? '',
      authorization: request.headers.authorization,
      body: JSON.parse(text) as Received['body'],
    };
    received.push(one);
    fake.answer(one, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const fake: FakeProvider = {
    url: `http://127.0.0.1:${port}/v1`,
    received,
    answer,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return fake;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += piece;
  return text;
}

export function json(value: unknown): Answer {
  return (_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(value));
  };
}

export function status(code: number, headers: Readonly<Record<string, string>> = {}): Answer {
  return (_, response) => {
    response.writeHead(code, headers);
    response.end('{"error":"secret details"}');
  };
}

export interface OverHttpOptions {
  readonly requestsMax?: number;
  readonly deadlineMs?: number;
  readonly cacheBytesMax?: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** Names of further models by the same setting. */
  readonly others?: readonly string[];
}

export interface InferenceOverHttp {
  readonly inference: Inference;
  readonly providerErrors: ProviderError[];
}

/** An inference port with a model, `m`, configured by a setting as users write it. */
export function inferenceOverHttp(
  setting: Readonly<Record<string, unknown>>,
  options: OverHttpOptions = {},
): InferenceOverHttp {
  const read = readProviderSettings(JSON.stringify({ m: setting })).get('m') as HttpSetting;
  const attributes =
    read.provider === 'cohere' ? { ...read.attributes, type: 'rerank' as const } : read.attributes;
  const providerErrors: ProviderError[] = [];
  const others = (options.others ?? []).map((name) => ({ name, setting: { ...read, model: name } }));
  const served = [{ name: 'm', setting: read }, ...others].map(({ name, setting }) =>
    openHttpModel({ model: broughtModel(name, attributes, 'a test'), setting }, options.environment ?? {}),
  );
  const inference = servedModels({
    served,
    notices: [],
    requestsMax: options.requestsMax ?? 10,
    deadlineMs: options.deadlineMs ?? 5_000,
    cacheBytesMax: options.cacheBytesMax ?? 0,
    onProviderError: (_, providerError) => providerErrors.push(providerError),
  });
  return { inference, providerErrors };
}
