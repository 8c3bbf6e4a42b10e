// Chooses the source of a migration by the scheme of its address.
import { CliProblem, EXIT_MISUSED } from '../../command.ts';
import type { ForeignSource, SourceOptions } from './port.ts';

type Open = (options: SourceOptions) => Promise<ForeignSource>;

/** Loaded when chosen. */
const SOURCES: Readonly<Record<string, Open>> = {
  qdrant: async (options) => new (await import('./qdrant.ts')).QdrantSource(options),
  chroma: async (options) => new (await import('./chroma.ts')).ChromaSource(options),
  weaviate: async (options) => new (await import('./weaviate.ts')).WeaviateSource(options),
  milvus: async (options) => new (await import('./milvus.ts')).MilvusSource(options),
  elasticsearch: async (options) =>
    new (await import('./elasticsearch.ts')).ElasticsearchSource(options, 'elasticsearch'),
  opensearch: async (options) =>
    new (await import('./elasticsearch.ts')).ElasticsearchSource(options, 'opensearch'),
};

const pgvector: Open = async (options) => new (await import('./pgvector.ts')).PgvectorSource(options);

/** Whether an address names another database than one with this interface. */
export function isForeign(address: string): boolean {
  return /^(\w+\+https?|postgres(ql)?):\/\//.test(address);
}

/** @param address `qdrant+http://HOST:PORT` and the like, or `postgres://USER@HOST/DATABASE` @throws CliProblem */
export async function openSource(
  address: string,
  options: Omit<SourceOptions, 'url'>,
): Promise<ForeignSource> {
  const [, database, rest] = /^(\w+)\+(.*)$/.exec(address) ?? [null, null, address];
  const open = database === null ? pgvector : SOURCES[database ?? ''];
  const url = URL.parse(rest ?? '');
  if (open === undefined || url === null) {
    const known = [...Object.keys(SOURCES).map((name) => `${name}+http(s)://`), 'postgres://'].join(', ');
    throw new CliProblem(`--from must begin with http(s)://, ${known}.`, EXIT_MISUSED);
  }
  // PostgreSQL takes it from the query, too.
  if (url.password !== '' || url.searchParams.has('password')) {
    const sentence = 'The address of the source must have no password: set PINYON_FROM_API_KEY instead.';
    throw new CliProblem(sentence, EXIT_MISUSED);
  }
  return open({ ...options, url });
}
