// PostgreSQL with pgvector over its own protocol: HNSW over floats, and over half floats.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type DataSet, sliceOf } from '../data/data-sets.ts';
import { loadPeer } from '../support/load-peer.ts';
import { Lane } from './lane.ts';
import { startPostgres } from './postgres-program.ts';
import { askPrepared, intsOf, postgresAnswerLength, prepare, simpleQuery, startUp } from './postgres-wire.ts';
import type { Server } from './server.ts';

type Sql = ((parts: TemplateStringsArray) => { writable(): Promise<NodeJS.WritableStream> }) & {
  unsafe(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  end(): Promise<void>;
};
interface PostgresPackage {
  readonly default: (options: object) => Sql;
}

const PIECE_ROWS = 500;
/** HNSW settings as in the other HNSW peers' quick builds. */
const INDEX = 'WITH (m = 16, ef_construction = 128)';
const EF_SEARCH = [20, 40, 80, 120, 200, 400];
const FILTER_EF_SEARCH = [40, 120, 400];

export async function startPgvector(dimension: number): Promise<Server> {
  const program = await startPostgres();
  const { default: postgres } = await loadPeer<PostgresPackage>('postgres');
  const sql = postgres({
    host: program.folder,
    port: program.port,
    database: 'postgres',
    username: 'bench',
    max: 1,
    onnotice: () => {},
  });
  await sql.unsafe('CREATE EXTENSION vector');
  await sql.unsafe(
    `CREATE TABLE records (id int PRIMARY KEY, slice int NOT NULL, embedding vector(${dimension}))`,
  );
  const [facts] = await sql.unsafe(
    `SELECT current_setting('server_version') AS server, extversion AS vector FROM pg_extension WHERE extname = 'vector'`,
  );
  // Vectors are of unit length: the inner product orders them as the cosine does, and is quicker.
  const order = (half: number, parameter: string) =>
    half === 1
      ? `embedding::halfvec(${dimension}) <#> ${parameter}::vector::halfvec(${dimension})`
      : `embedding <#> ${parameter}::vector`;
  const open: Server['open'] = async ({ efSearch = 40, half = 0 }, passing) => {
    const lane = await Lane.open({ path: program.socketPath }, postgresAnswerLength);
    const condition = passing === null ? '' : `WHERE slice < ${passing}`;
    const scan = passing === null ? 'off' : 'relaxed_order';
    // Without a filter the question is how fast the index is, not whether it is used.
    const seqScan = passing === null ? 'off' : 'on';
    const set = `SET enable_seqscan = ${seqScan}; SET hnsw.ef_search = ${efSearch}; SET hnsw.iterative_scan = ${scan}; SET plan_cache_mode = force_generic_plan`;
    const statement = `SELECT id FROM records ${condition} ORDER BY ${order(half, '$1')} LIMIT 10`;
    for (const request of [startUp('bench', 'postgres'), simpleQuery(set), prepare(statement)])
      intsOf(await lane.ask(request));
    return lane;
  };
  return {
    name: 'pgvector',
    version: `${facts?.vector} on PostgreSQL ${facts?.server}`,
    searches: [0, 1].flatMap((half) => EF_SEARCH.map((efSearch) => ({ efSearch, half }))),
    // Half floats are the quicker ones throughout.
    filterSearches: FILTER_EF_SEARCH.map((efSearch) => ({ efSearch, half: 1 })),
    open,
    choose: async () => {},
    load: (data) => load(sql, data, order),
    request: (query) => askPrepared(query),
    ids: intsOf,
    upsertRequest: () => null,
    pid: () => program.pid,
    stop: async () => {
      await sql.end();
      await program.stop();
    },
  };
}

async function load(sql: Sql, data: DataSet, order: (half: number, parameter: string) => string) {
  const started = performance.now();
  const target = await sql`COPY records FROM STDIN`.writable();
  await pipeline(Readable.from(lines(data)), target);
  const seconds = (performance.now() - started) / 1000;
  const half = order(1, '').split(' <#>')[0];
  await sql.unsafe(`CREATE INDEX ON records USING hnsw (embedding vector_ip_ops) ${INDEX}`);
  await sql.unsafe(`CREATE INDEX ON records USING hnsw ((${half}) halfvec_ip_ops) ${INDEX}`);
  await sql.unsafe('CREATE INDEX ON records (slice)');
  await sql.unsafe('VACUUM ANALYZE records');
  // Otherwise what was loaded is written back while it is measured.
  await sql.unsafe('CHECKPOINT');
  return { seconds, indexedSeconds: (performance.now() - started) / 1000 };
}

function* lines(data: DataSet): Generator<string> {
  for (const { first, rows } of data.base.pieces(PIECE_ROWS))
    yield rows.map((row, at) => `${first + at}\t${sliceOf(first + at)}\t[${row.join(',')}]\n`).join('');
}
