// Very many small namespaces on PostgreSQL: list, stats, and queries, each of another namespace.
import { Agent } from 'node:http';
import { KEY, type WholeNode } from '../../test/postgres/nodes/whole-node.ts';
import type { RealPostgres } from '../../test/postgres/server.ts';
import { percentile } from '../support/figures.ts';
import { call } from '../support/service.ts';

const NAMESPACES = 100_000;
const RECORDS = 20;
const LARGE_RECORDS = 1_000_000;
const CALLS = 300;
const STATS_CALLS = 30;
const DIMENSION = 8;
const SPEC = { serverless: { cloud: 'aws', region: 'us-east-1' } };
const NAME = 'namespaces';

/** By SQL: as many upserts would take an hour. */
export async function fillNamespaces(server: RealPostgres, node: WholeNode, url: string): Promise<string> {
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
     insert into "fields_${id}" (namespace, field, records)
       select number, 'n', ${RECORDS} from "namespaces_${id}";
     insert into "records_${id}" (namespace, id, dense, fields, bytes)
       select number, 'r' || r, (select array_agg(sin(number * 31 + r * 7 + d)) from generate_series(1, ${DIMENSION}) d)::real[]::vector,
         '{"n": 1}', ${DIMENSION * 4} from "namespaces_${id}", generate_series(1, ${RECORDS}) r`,
    url,
  );
  await server.run('vacuum analyze', url);
  return id;
}

/** Beside the others, in the namespace `large`. @param id of the index */
export async function fillLargeNamespace(server: RealPostgres, url: string, id: string): Promise<void> {
  await server.run(
    `set search_path to pinyon_records, public;
     insert into "namespaces_${id}" (owner, name, is_explicit, records, bytes)
       values ('', 'large', false, ${LARGE_RECORDS}, ${LARGE_RECORDS * DIMENSION * 4});
     insert into "fields_${id}" (namespace, field, records)
       select number, 'n', ${LARGE_RECORDS} from "namespaces_${id}" where name = 'large';
     insert into "records_${id}" (namespace, id, dense, fields, bytes)
       select number, 'r' || r, (select array_agg(sin(r * 7 + d)) from generate_series(1, ${DIMENSION}) d)::real[]::vector,
         '{"n": 1}', ${DIMENSION * 4} from "namespaces_${id}", generate_series(1, ${LARGE_RECORDS}) r where name = 'large'`,
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
  const upsert = async (namespace: string) => {
    const vectors = [{ id: 'new', values: query('').vector }];
    const { status, text } = await node.call('POST', '/vectors/upsert', {
      index,
      body: { namespace, vectors },
    });
    if (status !== 200) throw new Error(text);
  };
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  // Text: parsing 100,000 counts is the client's work.
  const stats = () =>
    call(agent, `${node.url}/describe_index_stats`, Buffer.from('{}'), {
      'api-key': KEY,
      host: new URL(index).host,
    });
  const calls: Readonly<
    Record<string, (at: number) => Promise<{ readonly status: number; readonly text: string }>>
  > = {
    'query of one': (at) =>
      node.call('POST', '/query', { index, body: query(`tenant-${((at * 7919) % NAMESPACES) + 1}`) }),
    'list, a page of 100, after a write to a new one': () =>
      node.call('GET', '/namespaces?limit=100', { index }),
    'list, a page of 100': () => node.call('GET', '/namespaces?limit=100', { index }),
    'list of ids in one': (at) => node.call('GET', `/vectors/list?namespace=tenant-${at + 1}`, { index }),
    'description of one': (at) => node.call('GET', `/namespaces/tenant-${at + 1}`, { index }),
    'stats of all, nothing written since the last ones': stats,
    'stats of all, after a write': stats,
    'stats of all, after a write to a new one': stats,
  };
  const lines = [`${NAMESPACES.toLocaleString('en')} namespaces x ${RECORDS} records, p50:`];
  for (const [name, ask] of Object.entries(calls)) {
    const times: number[] = [];
    for (let at = 0; at < (name.startsWith('stats') ? STATS_CALLS : CALLS); at++) {
      const written = name.includes('new one')
        ? `new-${name}-${at}`
        : `tenant-${((at * 7919) % NAMESPACES) + 1}`;
      if (name.includes('write')) await upsert(written);
      const started = performance.now();
      const answer = await ask(at);
      if (answer.status !== 200) throw new Error(answer.text);
      times.push(performance.now() - started);
    }
    lines.push(`- ${name}: ${percentile(times, 0.5).toFixed(2)} ms`);
  }
  agent.destroy();
  return lines.join('\n');
}
