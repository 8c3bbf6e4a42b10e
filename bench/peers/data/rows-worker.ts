// Writes a share of a data set's rows: blocks with seeds of their own, so that threads share the work and bits stay the same.
import { closeSync, openSync, writeSync } from 'node:fs';
import { hardVectors, Random } from '../../../src/engine/embedded/kernels/testing/hard-vectors.ts';
import type { RowsTask, SyntheticName } from './data-sets.ts';
import { pooledVectors } from './pooled-vectors.ts';
import { doShare } from './shares.ts';

const BLOCK_ROWS = 2_500;
const SHAPE_SEED = 7;
/** Keeps the blocks of queries apart from those of records. */
const QUERY_BLOCKS = 1_000_000;
/** Share of rows that are distinct among the duplicates; the others are copies of few. */
const DISTINCT_SHARE = 0.25;
const COPIED = 50;

/** A source that can start anew from another seed, after the shape of the data was drawn from the first. */
class Reseeded extends Random {
  #current = new Random(SHAPE_SEED);

  reseed(block: number): void {
    this.#current = new Random(Math.imul(block + 1, 0x9e3779b1));
  }

  override uniform(): number {
    return this.#current.uniform();
  }
}

function rowSource(name: SyntheticName, dimension: number): { source: Reseeded; next: () => Float32Array } {
  const source = new Reseeded(SHAPE_SEED);
  const latentDim = name === 'clustered' ? 64 : 160;
  const vectors = name === 'pooled' ? pooledVectors : hardVectors;
  return { source, next: vectors(source, { dim: dimension, latentDim, clusters: 1000 }) };
}

doShare<RowsTask, number>(({ task, share, shares }) => {
  const { name, dimension, rows, asked, isHalf, path } = task;
  const { source, next } = rowSource(name, dimension);
  const copies = name === 'duplicates' && !asked ? firstRows(name, dimension) : [];
  const file = openSync(path, 'a');
  closeSync(file);
  const target = openSync(path, 'r+');
  const block = isHalf ? new Float16Array(BLOCK_ROWS * dimension) : new Float32Array(BLOCK_ROWS * dimension);
  const rowBytes = block.BYTES_PER_ELEMENT * dimension;
  for (let at = share; at * BLOCK_ROWS < rows; at += shares) {
    source.reseed(at + (asked ? QUERY_BLOCKS : 0));
    const count = Math.min(BLOCK_ROWS, rows - at * BLOCK_ROWS);
    for (let i = 0; i < count; i++) {
      const row = next();
      const copy = copies.length > 0 && source.uniform() > DISTINCT_SHARE;
      const factor = name === 'unnormalised' && !asked ? Math.exp(source.normal()) : 1;
      const chosen = copy ? (copies[source.integer(COPIED)] ?? row) : row;
      for (let j = 0; j < dimension; j++) block[i * dimension + j] = (chosen[j] ?? 0) * factor;
    }
    const bytes = new Uint8Array(block.buffer, 0, count * rowBytes);
    writeSync(target, bytes, 0, bytes.length, at * BLOCK_ROWS * rowBytes);
  }
  closeSync(target);
  return rows;
});

function firstRows(name: SyntheticName, dimension: number): Float32Array[] {
  const { source, next } = rowSource(name, dimension);
  source.reseed(0);
  return Array.from({ length: COPIED }, () => next().slice());
}
