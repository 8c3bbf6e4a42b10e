// Data sets of the benchmarks: made once per shape, kept in a cache folder, the same on every machine.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hardVectors, Random } from '../../src/engine/embedded/kernels/testing/hard-vectors.ts';

export interface DataSet {
  readonly dimension: number;
  readonly base: readonly Float32Array[];
  readonly queries: readonly Float32Array[];
}

/** "Hard" vectors: unit length, latent dimension 160, clusters overlapping. Base and queries from one stream. */
export function hardDataSet(options: {
  readonly records: number;
  readonly queries: number;
  readonly dimension: number;
}): DataSet {
  const { records, queries, dimension } = options;
  const all = cached(`hard-${records}-${queries}-${dimension}`, () => {
    const next = hardVectors(new Random(7), { dim: dimension, latentDim: 160, clusters: 1000 });
    const values = new Float32Array((records + queries) * dimension);
    for (let i = 0; i < records + queries; i++) values.set(next(), i * dimension);
    return values;
  });
  const rows = Array.from({ length: records + queries }, (_, i) =>
    all.subarray(i * dimension, (i + 1) * dimension),
  );
  return { dimension, base: rows.slice(0, records), queries: rows.slice(records) };
}

/** Ids (as base positions) of the `k` best by inner product, computed plainly in doubles. */
export function exactTop(
  data: DataSet,
  k: number,
  wanted: (position: number) => boolean = () => true,
): readonly (readonly number[])[] {
  return data.queries.map((query) => {
    const scored = data.base.flatMap((row, position) =>
      wanted(position) ? [{ position, score: dot(query, row) }] : [],
    );
    return scored
      .sort((a, b) => b.score - a.score)
      .slice(0, k)
      .map((entry) => entry.position);
  });
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

function cached(name: string, make: () => Float32Array): Float32Array {
  const folder = join(tmpdir(), 'pinyon-bench-data');
  const path = join(folder, `${name}.f32`);
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${path}.part`, Buffer.from(make().buffer));
    renameSync(`${path}.part`, path);
  }
  const bytes = readFileSync(path);
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}
