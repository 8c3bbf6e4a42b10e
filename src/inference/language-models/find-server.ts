// Finds a server of language models on this machine, at the addresses where such servers usually listen.
import { ProviderListing } from './provider-listing.ts';

export interface UsualServer {
  readonly name: string;
  /** The address without `/chat/completions`. */
  readonly url: string;
}

export interface FoundServer extends UsualServer {
  /** The model that answers where none is named: the first that is no embedding or reranking model. */
  readonly model: string;
  readonly models: readonly string[];
}

/** In the order in which they are taken. */
export const USUAL_SERVERS: readonly UsualServer[] = [
  { name: 'Ollama', url: 'http://127.0.0.1:11434/v1' },
  { name: 'LM Studio', url: 'http://127.0.0.1:1234/v1' },
  { name: 'llama.cpp', url: 'http://127.0.0.1:8080/v1' },
  { name: 'vLLM', url: 'http://127.0.0.1:8000/v1' },
];
/** Names of models that do not chat. */
const OTHER_MODEL = /embed|rerank|minilm|(?:^|[/_-])(?:bge|e5|gte)(?:[/_:-]|$)/i;

/** Returns the first server that lists a model for chats; null when none does. All are asked at once, for two seconds at most. */
export async function findServer(
  servers: readonly UsualServer[] = USUAL_SERVERS,
): Promise<FoundServer | null> {
  const asked = await Promise.all(
    servers.map(async (server): Promise<FoundServer | null> => {
      const listed = await new ProviderListing({ baseUrl: server.url, apiKey: null }).models();
      const models = listed.map(({ name }) => name).filter((name) => !OTHER_MODEL.test(name));
      const [model] = models;
      return model === undefined ? null : { ...server, model, models };
    }),
  );
  return asked.find((found) => found !== null) ?? null;
}
