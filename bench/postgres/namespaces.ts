// Very many small namespaces on PostgreSQL: list, stats, and queries, each of another namespace.
import type { WholeNode } from '../../test/postgres/nodes/whole-node.ts';
import type { RealPostgres } from '../../test/postgres/server.ts';
import { percentile } from '../support/figures.ts';

const NAMESPACES = 100_000;
const RECORDS = 20;
const CALLS = 300;
const DIMENSION = 8;
const SPEC = { serverless: { cloud: 'aws', region: 'us-east-1' } };
const NAME = 'namespaces';

/** By SQL: as many upserts would take an hour. */
export async function fillNamespaces(server: RealPostgres, node: WholeNode, url: string): Promise<void> {
  const body = { name: NAME, dimension: DIMENSION, metric: 'cosine', spec: SPEC };
  const made = await node.call('POST', '/indexes', { body });
  if (made.status !== 201) throw new Error(made.text);
  const [row] = await server.run(
    `select replace(tablename, 'namespaces_', '') as id from pg_tables where schemaname = 'pinyon_records'
     and tablename like 'namespaces_%' order by (select oid from pg_class where relname = tablename) desc limit 1`,
    url,
  );
  const id = String(row?.id);
  await server.run(
    `set search_path to pinyon_records, public;
     drop index "graph_${id}";
     insert into "namespaces_${id}" (owner, name, is_explicit, records, bytes)
       select '', 'tenant-' || n, false, ${RECORDS}, ${RECORDS * DIMENSION * 4} from generate_series(1, ${NAMESPACES}) n;
     insert into "records_${id}" (namespace, id, dense, fields, bytes)
       select number, 'r' || r, (select array_agg(sin(number * 31 + r * 7 + d)) from generate_series(1, ${DIMENSION}) d)::real[]::vector,
         '{}', ${DIMENSION * 4} from "namespaces_${id}", generate_series(1, ${RECORDS}) r`,
    url,
  );
  await server.run('vacuum analyze', url);
}

export async function measureNamespaces(node: WholeNode): Promise<string> {
  const { body } = await node.call('GET', `/indexes/${NAME}`);
  const { host: index } = body as { readonly host: string };
  const query = (namespace: string) => ({
    vector: new Array<number>(DIMENSION).fill(0.5),
    topK: 5,
    namespace,
  });
  const calls: Readonly<Record<string, (at: number) => ReturnType<WholeNode['call']>>> = {
    'query of one': (at) =>
      node.call('POST', '/query', { index, body: query(`tenant-${((at * 7919) % NAMESPACES) + 1}`) }),
    'list, a page of 100': () => node.call('GET', '/namespaces?limit=100', { index }),
    'list of ids in one': (at) => node.call('GET', `/vectors/list?namespace=tenant-${at + 1}`, { index }),
    'description of one': (at) => node.call('GET', `/namespaces/tenant-${at + 1}`, { index }),
    'stats of all': () => node.call('POST', '/describe_index_stats', { index, body: {} }),
  };
  const lines = [`${NAMESPACES.toLocaleString('en')} namespaces x ${RECORDS} records, p50:`];
  for (const [name, ask] of Object.entries(calls)) {
    const times: number[] = [];
    for (let at = 0; at < (name.startsWith('stats') ? 10 : CALLS); at++) {
      const started = performance.now();
      const answer = await ask(at);
      if (answer.status !== 200) throw new Error(answer.text);
      times.push(performance.now() - started);
    }
    lines.push(`- ${name}: ${percentile(times, 0.5).toFixed(2)} ms`);
  }
  return lines.join('\n');
}
