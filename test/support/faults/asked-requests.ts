// What is asked of the data directory that faults are tried on.
import type { Random } from '../random.ts';
import type { FaultRequest } from './requests.ts';

export const ASSISTANT = 'helper';
export const DIMENSION = 24;
export const SMALL_RECORDS = 90;
export const SPARSE_RECORDS = 500;
const FETCHED_AT_ONCE = 50;

export function requestsTo(hosts: ReadonlyMap<string, string>, random: Random): readonly FaultRequest[] {
  const requests: FaultRequest[] = [
    { owner: 'catalog', method: 'GET', path: '/indexes' },
    { owner: 'catalog', method: 'GET', path: '/backups' },
    { owner: 'catalog', method: 'GET', path: `/assistant/files/${ASSISTANT}` },
    {
      owner: ASSISTANT,
      method: 'POST',
      path: `/assistant/chat/${ASSISTANT}/context`,
      body: { query: 'What does the ferry cost?' },
    },
  ];
  const of = (owner: string) => (method: string, path: string, body?: unknown) => {
    const host = hosts.get(owner);
    if (host === undefined) throw new Error(`there is no index ${owner}`);
    requests.push({ owner, method, path, host, ...(body !== undefined && { body }) });
  };
  for (const [name, prefix, count] of [
    ['classic', 'r', 600],
    ['small', 'r', SMALL_RECORDS],
    ['sparse', 's', SPARSE_RECORDS],
  ] as const) {
    const ask = of(name);
    ask('POST', '/describe_index_stats', {});
    ask('GET', '/vectors/list?limit=100');
    ask('GET', '/namespaces');
    for (let first = 0; first < count; first += FETCHED_AT_ONCE) {
      const ids = Array.from(
        { length: Math.min(FETCHED_AT_ONCE, count - first) },
        (_, i) => `ids=${prefix}${first + i}`,
      );
      ask('GET', `/vectors/fetch?${ids.join('&')}`);
    }
    for (let i = 0; i < 3; i++) {
      const vector = { vector: random.vector(name === 'classic' ? DIMENSION : 8) };
      const sparse = {
        sparseVector: { indices: [1 + random.below(40), 100 + random.below(50)], values: [1, 1] },
      };
      const by = name === 'sparse' ? sparse : vector;
      ask('POST', '/query', { ...by, topK: 20, includeMetadata: i > 0, includeValues: i > 1 });
      ask('POST', '/query', { ...by, topK: 5, filter: { even: true } });
    }
    ask('POST', '/vectors/fetch_by_metadata', { filter: { number: { $lt: 40 } }, limit: 20 });
    requests.push(changesOf(name));
  }
  const ask = of('books');
  ask('POST', '/describe_index_stats', {});
  const search = (score_by: unknown) =>
    ask('POST', '/namespaces/__default__/documents/search', { score_by, top_k: 20 });
  for (const query of ['ferry', 'quartz AND otter', 'violin'])
    search([{ type: 'query_string', query: `text:(${query})` }]);
  search([{ type: 'dense_vector', field: 'embedding', values: random.vector(8) }]);
  ask('POST', '/namespaces/__default__/documents/fetch', {
    ids: Array.from({ length: 100 }, (_, i) => `d${i * 4}`),
  });
  of('late')('POST', '/describe_index_stats', {});
  requests.push(changesOf('books'), { owner: 'small', method: 'GET', path: '/indexes/small/ttl' });
  return requests;
}

/** Of one namespace, since others are written to while the answers are compared. */
function changesOf(index: string): FaultRequest {
  const path = `/indexes/${index}/history/changes?limit=100&namespace=__default__`;
  return { owner: index, method: 'GET', path };
}
