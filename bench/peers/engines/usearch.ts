// usearch: HNSW with vectors as floats or as bytes; one thread a query.
import { join } from 'node:path';
import type { RowFile } from '../data/row-file.ts';
import { loadPeer } from '../support/load-peer.ts';
import type { Engine, Setting, Shape } from './engine.ts';

interface Index {
  add(keys: BigUint64Array, vectors: Float32Array, threads: number): void;
  search(vector: Float32Array, k: number, threads: number): { readonly keys: BigUint64Array };
  save(path: string): void;
  load(path: string): void;
}
interface Usearch {
  Index: new (options: Readonly<Record<string, string | number | boolean>>) => Index;
}

const METRICS = { cosine: 'cos', dotproduct: 'ip', euclidean: 'l2sq' } as const;
/** Rows handed over at a time; the package spreads them over its threads. */
const PIECE_ROWS = 10_000;

function usearch(quantization: 'f32' | 'i8'): Engine {
  const fileIn = (folder: string) => join(folder, 'index.usearch');
  const makeIndex = async (shape: Pick<Shape, 'dimension' | 'metric'>, build: Setting) => {
    const { Index } = await loadPeer<Usearch>('usearch');
    return (search: Setting) =>
      new Index({
        dimensions: shape.dimension,
        metric: METRICS[shape.metric],
        quantization,
        connectivity: build.connectivity ?? 16,
        expansion_add: build.expansionAdd ?? 128,
        expansion_search: search.expansionSearch ?? 64,
        multi: false,
      });
  };
  return {
    name: `usearch ${quantization}`,
    peer: 'usearch',
    filterSearches: [],
    builds: [{ connectivity: 16, expansionAdd: 128 }],
    searches: [16, 32, 48, 64, 96, 128, 192, 320, 512].map((expansionSearch) => ({ expansionSearch })),
    runs: {
      async build(folder, rows: RowFile, { metric, build }) {
        const index = (await makeIndex({ dimension: rows.dimension, metric }, build))({});
        for (let first = 0; first < rows.rows; first += PIECE_ROWS) {
          const values = rows.read(first, first + PIECE_ROWS);
          const keys = BigUint64Array.from({ length: values.length / rows.dimension }, (_, at) =>
            BigInt(first + at),
          );
          index.add(keys, values, 0);
        }
        index.save(fileIn(folder));
      },
      async open(folder, options) {
        const make = await makeIndex(options, options.build);
        // The breadth of a search is fixed when an index is made: each setting loads it anew.
        let index = make({});
        index.load(fileIn(folder));
        return {
          choose: (search) => {
            index = make(search);
            index.load(fileIn(folder));
          },
          query: ({ values }, { k }) => Array.from(index.search(values, k, 1).keys, Number),
          close: () => {},
        };
      },
    },
  };
}

export const usearchFloats = usearch('f32');
export const usearchBytes = usearch('i8');
