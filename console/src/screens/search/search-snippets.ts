// A search as code.
import type { Index } from '../../api/types.ts';
import {
  curl,
  literal,
  postSnippets,
  python,
  pythonLiteral,
  type Snippets,
  typescript,
} from '../../ui/snippets.ts';
import { isDocumentIndex } from '../index/index-kind.ts';
import type { SearchRequest } from './search-request.ts';

export function searchSnippets(index: Index, { path, body }: SearchRequest): Snippets {
  const data = `data/${encodeURIComponent(index.name)}/${path}`;
  const [, , namespace = ''] = path.split('/').map(decodeURIComponent);
  if (isDocumentIndex(index)) return postSnippets(data, body);
  const search = {
    query: camelKeys(body.query),
    ...(body.rerank === undefined ? {} : { rerank: camelKeys(body.rerank) }),
  };
  return {
    typescript: typescript([
      `const index = pinecone.index({ name: ${literal(index.name)}, namespace: ${literal(namespace)} });`,
      `console.log(await index.searchRecords(${literal(search, 2)}));`,
    ]),
    python: python([
      `index = pinecone.Index(${literal(index.name)})`,
      `print(index.search(namespace=${literal(namespace)}, query=${pythonLiteral(body.query)}${rerankOf(body)}))`,
    ]),
    curl: curl('POST', data, body),
  };
}

function rerankOf({ rerank }: SearchRequest['body']): string {
  return rerank === undefined ? '' : `, rerank=${pythonLiteral(rerank)}`;
}

/** The TypeScript client writes the names of fields in camel case; a filter stays as it is. */
function camelKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      each,
    ]),
  );
}
