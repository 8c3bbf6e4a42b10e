// zvec: HNSW over bytes, with or without scoring the candidates exactly again; one query thread.
import { join } from 'node:path';
import { sliceOf } from '../data/data-sets.ts';
import { loadPeer } from '../support/load-peer.ts';
import type { Engine, Setting } from './engine.ts';

interface Doc {
  readonly id: string;
  readonly vectors?: Readonly<Record<string, Float32Array>>;
  readonly fields?: Readonly<Record<string, number>>;
}
interface Collection {
  insertSync(docs: readonly Doc[]): readonly { readonly ok: boolean }[];
  optimize(): Promise<void>;
  querySync(query: object): readonly Doc[];
  closeSync(): void;
}
interface Zvec {
  ZVecCollectionSchema: new (schema: object) => object;
  ZVecCreateAndOpen(path: string, schema: object): Collection;
  ZVecOpen(path: string): Collection;
  ZVecInitialize(options: { readonly queryThreads: number }): void;
  readonly ZVecDataType: { readonly VECTOR_FP32: number; readonly INT32: number };
  readonly ZVecIndexType: { readonly HNSW: number; readonly INVERT: number };
  readonly ZVecMetricType: { readonly COSINE: number; readonly IP: number; readonly L2: number };
  readonly ZVecQuantizeType: { readonly INT8: number };
}

const METRICS = { cosine: 'COSINE', dotproduct: 'IP', euclidean: 'L2' } as const;
const PIECE_ROWS = 500;

const collectionIn = (folder: string) => join(folder, 'collection');
const plain = (ef: number): Setting => ({ ef, refine: 0 });
const refined = (ef: number): Setting => ({ ef, refine: 1 });

export const zvec: Engine = {
  name: 'zvec',
  peer: '@zvec/zvec',
  builds: [
    { m: 16, efConstruction: 128 },
    { m: 32, efConstruction: 200 },
  ],
  searches: [
    ...[32, 40, 48, 64, 96].map(plain),
    ...[16, 24, 32, 48, 56, 64, 80, 96, 160, 256, 400].map(refined),
  ],
  filterSearches: [...[48, 96].map(plain), ...[16, 32, 64, 96, 256].map(refined)],
  runs: {
    async build(folder, rows, { metric, build }) {
      const { ZVecCollectionSchema, ZVecCreateAndOpen, ...zvec } = await loadPeer<Zvec>('@zvec/zvec');
      const { m = 16, efConstruction = 128 } = build;
      const indexParams = {
        indexType: zvec.ZVecIndexType.HNSW,
        metricType: zvec.ZVecMetricType[METRICS[metric]],
        quantizeType: zvec.ZVecQuantizeType.INT8,
        useContiguousMemory: true,
        m,
        efConstruction,
      };
      const { dimension } = rows;
      const schema = new ZVecCollectionSchema({
        name: 'records',
        vectors: { name: 'vector', dataType: zvec.ZVecDataType.VECTOR_FP32, dimension, indexParams },
        fields: [
          {
            name: 'slice',
            dataType: zvec.ZVecDataType.INT32,
            indexParams: { indexType: zvec.ZVecIndexType.INVERT },
          },
        ],
      });
      const collection = ZVecCreateAndOpen(collectionIn(folder), schema);
      for (const piece of rows.pieces(PIECE_ROWS)) {
        const docs = piece.rows.map((vector, at) => ({
          id: String(piece.first + at),
          vectors: { vector },
          fields: { slice: sliceOf(piece.first + at) },
        }));
        if (collection.insertSync(docs).some(({ ok }) => !ok)) throw new Error('zvec refused a record');
      }
      await collection.optimize();
      collection.closeSync();
    },
    async open(folder) {
      const zvec = await loadPeer<Zvec>('@zvec/zvec');
      zvec.ZVecInitialize({ queryThreads: 1 });
      const collection = zvec.ZVecOpen(collectionIn(folder));
      return {
        query: ({ values }, { k, search, passing }) =>
          collection
            .querySync({
              fieldName: 'vector',
              vector: values,
              topk: k,
              outputFields: [],
              ...(passing !== null && { filter: `slice < ${passing}` }),
              params: {
                indexType: zvec.ZVecIndexType.HNSW,
                ef: search.ef ?? 64,
                isUsingRefiner: search.refine === 1,
              },
            })
            .map(({ id }) => Number(id)),
        close: () => collection.closeSync(),
      };
    },
  },
};
