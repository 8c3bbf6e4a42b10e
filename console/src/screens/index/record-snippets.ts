// The list of records in view as code.
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
import { isDocumentIndex } from './index-kind.ts';
import type { Shown } from './record-pages.ts';

export function listSnippets(index: Index, { namespace, filter, prefix, order }: Shown): Snippets {
  const { name } = index;
  const data = `data/${name}`;
  if (isDocumentIndex(index) || order !== '') {
    const [direction, ...field] = order.split(' ');
    return postSnippets(`${data}/records/namespaces/${encodeURIComponent(namespace)}/browse`, {
      ...(filter === '' ? {} : { filter: JSON.parse(filter) }),
      ...(prefix === '' ? {} : { prefix }),
      ...(order === '' ? {} : { order_by: { field: field.join(' '), direction } }),
    });
  }
  if (filter !== '') {
    const value: unknown = JSON.parse(filter);
    return {
      typescript: typescript([
        `const index = pinecone.index({ name: ${literal(name)}, namespace: ${literal(namespace)} });`,
        `console.log(await index.fetchByMetadata({ filter: ${literal(value)} }));`,
      ]),
      python: python([
        `index = pinecone.Index(${literal(name)})`,
        `print(index.fetch_by_metadata(filter=${pythonLiteral(value)}, namespace=${literal(namespace)}))`,
      ]),
      curl: curl('POST', `${data}/vectors/fetch_by_metadata`, { namespace, filter: value }),
    };
  }
  const query = new URLSearchParams({ namespace, ...(prefix === '' ? {} : { prefix }) });
  return {
    typescript: typescript([
      `const index = pinecone.index({ name: ${literal(name)}, namespace: ${literal(namespace)} });`,
      `console.log(await index.listPaginated(${prefix === '' ? '' : `{ prefix: ${literal(prefix)} }`}));`,
    ]),
    python: python([
      `index = pinecone.Index(${literal(name)})`,
      `for ids in index.list(prefix=${literal(prefix)}, namespace=${literal(namespace)}):`,
      '    print(ids)',
    ]),
    curl: curl('GET', `${data}/vectors/list?${query}`),
  };
}
