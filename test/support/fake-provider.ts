// A server of embeddings as OpenAI has it: every text is its length, so that equal lengths are equal vectors.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeModel {
  readonly model: string;
  readonly dimension: number;
}

export class FakeProvider {
  readonly #server: Server;
  readonly #fake: FakeModel;
  /** Texts after which no more answers come. */
  textsMax = Number.POSITIVE_INFINITY;
  #texts = 0;

  private constructor(server: Server, fake: FakeModel) {
    this.#server = server;
    this.#fake = fake;
  }

  static async start(fake: FakeModel): Promise<FakeProvider> {
    const server = createServer();
    const provider = new FakeProvider(server, fake);
    server.on('request', async (request, response) => {
      const chunks = await Array.fromAsync(request);
      const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly input: readonly string[] };
      if (provider.#texts >= provider.textsMax) return;
      provider.#texts += input.length;
      const data = input.map((text, index) => ({ index, embedding: vectorOf(text, fake.dimension) }));
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ data, usage: { total_tokens: input.length } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  /** What makes a server use it. */
  get env(): Readonly<Record<string, string>> {
    const { port } = this.#server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/v1`;
    const { model, dimension } = this.#fake;
    const models = { [model]: { provider: 'openai', url, model: 'fake', dimensions: [dimension] } };
    return { PINYON_MODELS: JSON.stringify(models) };
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

function vectorOf(text: string, dimension: number): readonly number[] {
  const length = text.trim().length;
  return Array.from({ length: dimension }, (_, i) => Math.sin((i + 1) * length));
}
