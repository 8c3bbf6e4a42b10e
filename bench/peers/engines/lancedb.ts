// LanceDB: one HNSW over bytes in one partition, candidates scored exactly again; its threads share the core that all get.
import { join } from 'node:path';
import { sliceOf } from '../data/data-sets.ts';
import type { RowFile } from '../data/row-file.ts';
import { loadPeer } from '../support/load-peer.ts';
import type { Engine, Setting } from './engine.ts';

type Row = Readonly<Record<string, unknown>>;
interface VectorQuery {
  nprobes(count: number): VectorQuery;
  ef(ef: number): VectorQuery;
  refineFactor(factor: number): VectorQuery;
  limit(count: number): VectorQuery;
  where(condition: string): VectorQuery;
  select(columns: readonly string[]): VectorQuery;
  toArray(): Promise<readonly Row[]>;
}
interface Table {
  add(rows: readonly Row[]): Promise<unknown>;
  createIndex(column: string, options: { readonly config: unknown }): Promise<void>;
  optimize(): Promise<unknown>;
  query(): { nearestTo(vector: Float32Array): VectorQuery };
  close(): void;
}
interface LanceDb {
  connect(path: string): Promise<{
    createTable(name: string, rows: readonly Row[]): Promise<Table>;
    openTable(name: string): Promise<Table>;
  }>;
  readonly Index: { hnswSq(options: object): unknown; btree(): unknown };
}

const DISTANCES = { cosine: 'cosine', dotproduct: 'dot', euclidean: 'l2' } as const;
const PIECE_ROWS = 10_000;

const databaseIn = (folder: string) => join(folder, 'database');
const rowsOf = (piece: { readonly first: number; readonly rows: readonly Float32Array[] }): readonly Row[] =>
  piece.rows.map((vector, at) => ({ id: piece.first + at, slice: sliceOf(piece.first + at), vector }));

export const lancedb: Engine = {
  name: 'LanceDB',
  peer: '@lancedb/lancedb',
  builds: [{ m: 20, efConstruction: 150 }],
  searches: [
    { ef: 30, refineFactor: 1 },
    { ef: 30, refineFactor: 3 },
    ...[60, 100, 160, 256, 400].map((ef): Setting => ({ ef, refineFactor: 3 })),
  ],
  filterSearches: [30, 100, 400].map((ef) => ({ ef, refineFactor: 3 })),
  runs: {
    async build(folder, rows: RowFile, { metric, build }) {
      const { connect, Index } = await loadPeer<LanceDb>('@lancedb/lancedb');
      const database = await connect(databaseIn(folder));
      let table: Table | undefined;
      for (const piece of rows.pieces(PIECE_ROWS)) {
        if (table === undefined) table = await database.createTable('records', rowsOf(piece));
        else await table.add(rowsOf(piece));
      }
      if (table === undefined) throw new Error('there are no rows');
      await table.optimize();
      const distanceType = DISTANCES[metric];
      await table.createIndex('vector', {
        config: Index.hnswSq({ ...build, distanceType, numPartitions: 1 }),
      });
      await table.createIndex('slice', { config: Index.btree() });
      table.close();
    },
    async open(folder) {
      const { connect } = await loadPeer<LanceDb>('@lancedb/lancedb');
      const table = await (await connect(databaseIn(folder))).openTable('records');
      return {
        query: async ({ values }, { k, search, passing }) => {
          const { ef = 100, refineFactor = 1 } = search;
          const query = table.query().nearestTo(values).nprobes(1).ef(ef).refineFactor(refineFactor).limit(k);
          const chosen = passing === null ? query : query.where(`slice < ${passing}`);
          return (await chosen.select(['id', '_distance']).toArray()).map(({ id }) => Number(id));
        },
        close: () => table.close(),
      };
    },
  },
};
