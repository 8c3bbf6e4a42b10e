// hnswlib-node: HNSW over floats; builds and searches in the calling thread.
import { join } from 'node:path';
import { loadPeer } from '../support/load-peer.ts';
import type { Engine } from './engine.ts';

interface Index {
  initIndex(options: {
    readonly maxElements: number;
    readonly m: number;
    readonly efConstruction: number;
  }): void;
  addPoint(point: readonly number[], label: number): void;
  searchKnn(point: readonly number[], k: number): { readonly neighbors: readonly number[] };
  setEf(ef: number): void;
  writeIndexSync(path: string): void;
  readIndexSync(path: string): void;
}
interface Hnswlib {
  readonly default: { HierarchicalNSW: new (space: string, dimension: number) => Index };
}

const PIECE_ROWS = 1_000;

const fileIn = (folder: string) => join(folder, 'index.hnsw');
const SPACES = { cosine: 'cosine', dotproduct: 'ip', euclidean: 'l2' } as const;

export const hnswlib: Engine = {
  name: 'hnswlib-node',
  peer: 'hnswlib-node',
  filterSearches: [],
  builds: [{ m: 16, efConstruction: 128 }],
  searches: [10, 20, 30, 40, 60, 80, 120, 200, 320, 512].map((ef) => ({ ef })),
  runs: {
    async build(folder, rows, { metric, build }) {
      const { HierarchicalNSW } = (await loadPeer<Hnswlib>('hnswlib-node')).default;
      const index = new HierarchicalNSW(SPACES[metric], rows.dimension);
      const { m = 16, efConstruction = 128 } = build;
      index.initIndex({ maxElements: rows.rows, m, efConstruction });
      for (const piece of rows.pieces(PIECE_ROWS))
        for (const [at, row] of piece.rows.entries()) index.addPoint(Array.from(row), piece.first + at);
      index.writeIndexSync(fileIn(folder));
    },
    async open(folder, { metric, dimension }) {
      const { HierarchicalNSW } = (await loadPeer<Hnswlib>('hnswlib-node')).default;
      const index = new HierarchicalNSW(SPACES[metric], dimension);
      index.readIndexSync(fileIn(folder));
      return {
        choose: ({ ef = 10 }) => index.setEf(ef),
        query: ({ plain }, { k }) => index.searchKnn(plain, k).neighbors,
        close: () => {},
      };
    },
  },
};
