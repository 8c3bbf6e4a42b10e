// What answers the same queries: a node on PostgreSQL, the SQL of its search by hand, and the embedded engine.
import { Agent } from 'node:http';
import pg from 'pg';
import { vectorBytes } from '../../src/engine/postgres/record-rows.ts';
import { KEY as NODE_KEY, type WholeNode } from '../../test/postgres/nodes/whole-node.ts';
import { processorSeconds } from '../support/process-load.ts';
import { randomVectors } from '../support/random-vectors.ts';
import { call, type Service } from '../support/service.ts';

const TOP_K = 10;
const QUERIES = 200;
const BATCH = 500;
const EXACT_RECORDS_MAX = 10_000;
const SPEC = { serverless: { cloud: 'aws', region: 'us-east-1' } };

export interface Contender {
  ask(number: number): Promise<void>;
  /** Of its own process so far; 0 for SQL by hand, whose work is the database's. */
  processorMs(): number;
  close(): Promise<void>;
}

export interface Size {
  readonly records: number;
  readonly dimension: number;
  /** Of the database. */
  readonly url: string;
}

export async function onNode(node: WholeNode, size: Size): Promise<Contender> {
  return served({ base: node.url, key: NODE_KEY, pid: node.pid, isByHost: true }, size);
}

export async function embedded(service: Service, size: Size): Promise<Contender> {
  return served({ base: service.base, pid: service.pid, isByHost: false }, size);
}

/** The statement that the node's search comes to, prepared, with the vector in binary. */
export async function sqlByHand({ records, dimension, url }: Size): Promise<Contender> {
  const client = new pg.Client({ connectionString: url });
  // The server ends before it where something fails.
  client.on('error', () => undefined);
  await client.connect();
  await client.query('set search_path to pinyon_records, public');
  const { rows } = await client.query<{ tablename: string }>(
    "select tablename from pg_tables where schemaname = 'pinyon_records' and tablename like 'records_%'",
  );
  const table = await tableOf(client, rows, records);
  const isByGraph = records > EXACT_RECORDS_MAX;
  if (isByGraph)
    await client.query(
      'set hnsw.ef_search = 100; set hnsw.iterative_scan = strict_order; set enable_sort = off',
    );
  const distance = isByGraph ? 'dense <=> $1::vector' : '(dense <=> $1::vector) + 0';
  const text = `select id, ${distance} as distance from ${table} where namespace = $2 order by distance limit ${TOP_K}`;
  const number = await client.query<{ namespace: string }>(`select namespace from ${table} limit 1`);
  const namespace = number.rows[0]?.namespace;
  const queries = randomVectors(QUERIES, dimension, 7).map((each) => vectorBytes(Float32Array.from(each)));
  return {
    ask: async (at) => {
      await client.query({ name: 'search', text, values: [queries[at % QUERIES], namespace] });
    },
    processorMs: () => 0,
    close: () => client.end(),
  };
}

interface Server {
  readonly base: string;
  readonly key?: string;
  readonly pid: number;
  /** Whether indexes have host names rather than ports. */
  readonly isByHost: boolean;
}

async function served(
  { base, key, pid, isByHost }: Server,
  { records, dimension }: Size,
): Promise<Contender> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const own = key === undefined ? {} : { 'api-key': key };
  const post = async (address: string, body: Buffer, more: Readonly<Record<string, string>> = own) => {
    const { status, text } = await call(agent, address, body, more);
    if (status >= 300) throw new Error(`${address} answered ${status}: ${text}`);
    return text;
  };
  const created = { name: `r${records}`, dimension, metric: 'cosine', spec: SPEC };
  const answer = await post(`${base}/indexes`, Buffer.from(JSON.stringify(created)));
  const { host } = JSON.parse(answer) as { readonly host: string };
  const index = isByHost ? base : host;
  const headers = isByHost ? { ...own, host: new URL(host).host } : own;
  const vectors = randomVectors(records, dimension, 3);
  for (let first = 0; first < records; first += BATCH) {
    const batch = vectors.slice(first, first + BATCH).map((values, at) => ({ id: `r${first + at}`, values }));
    await post(`${index}/vectors/upsert`, Buffer.from(JSON.stringify({ vectors: batch })), headers);
  }
  const queries = randomVectors(QUERIES, dimension, 7).map((vector) =>
    Buffer.from(JSON.stringify({ vector, topK: TOP_K })),
  );
  return {
    ask: async (at) => {
      await post(`${index}/query`, queries[at % QUERIES] ?? Buffer.alloc(0), headers);
    },
    processorMs: () => 1_000 * processorSeconds(pid),
    close: async () => agent.destroy(),
  };
}

/** The table that has so many records. */
async function tableOf(
  client: pg.Client,
  rows: readonly { readonly tablename: string }[],
  records: number,
): Promise<string> {
  for (const { tablename } of rows) {
    const table = `pinyon_records."${tablename}"`;
    const counted = await client.query<{ found: number }>(`select count(*)::int as found from ${table}`);
    if (counted.rows[0]?.found === records) return table;
  }
  throw new Error(`no table has ${records} records`);
}
