// Fashion-MNIST: 60,000 pictures of clothes, 28 x 28 pixels, by Euclidean distance (Xiao et al., 2017), from Debian.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { cachePath } from '../peers/support/cache.ts';
import type { RealSet, SetSize } from './row-set.ts';

const PACKAGE = 'dataset-fashion-mnist';
const SIDE = 28;
const DIMENSION = SIDE * SIDE;
const HEADER_BYTES = 16;
const WHITE = 255;

/** Queries: other pictures; the same as a mirror shows them, as negatives, and as means of two. */
export async function fashionSet({ records, queries }: SetSize): Promise<RealSet> {
  const base = pictures('train-images-idx3-ubyte.gz').slice(0, records);
  const asked = pictures('t10k-images-idx3-ubyte.gz').slice(0, queries);
  return {
    name: 'fashion',
    metric: 'euclidean',
    dimension: DIMENSION,
    base,
    kinds: new Map([
      ['same', asked],
      ['mirrored', asked.map(mirrored)],
      ['negatives', asked.map((row) => row.map((value) => WHITE - value))],
      ['means of two', asked.map((row, at) => halfway(row, asked[(at * 7 + 13) % asked.length] ?? row))],
    ]),
  };
}

function pictures(name: string): readonly Float32Array[] {
  const bytes = gunzipSync(readFileSync(join(unpackedPackage(), name))).subarray(HEADER_BYTES);
  return Array.from({ length: bytes.length / DIMENSION }, (_, at) =>
    Float32Array.from(bytes.subarray(at * DIMENSION, (at + 1) * DIMENSION)),
  );
}

/** The folder of the package's pictures: downloaded by apt and unpacked into the bench's cache, never installed. */
function unpackedPackage(): string {
  const folder = cachePath('real', PACKAGE);
  const part = `${folder}.part`;
  if (!existsSync(folder)) {
    mkdirSync(part, { recursive: true });
    execFileSync('apt-get', ['download', '-q', PACKAGE], {
      cwd: part,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [file = ''] = globSync('*.deb', { cwd: part });
    execFileSync('dpkg-deb', ['-x', file, '.'], { cwd: part });
    renameSync(part, folder);
  }
  return join(folder, 'usr', 'share', 'datasets', 'fashion-mnist');
}

function mirrored(row: Float32Array): Float32Array {
  return row.map((_, at) => row[at - (at % SIDE) + SIDE - 1 - (at % SIDE)] ?? 0);
}

function halfway(row: Float32Array, other: Float32Array): Float32Array {
  return row.map((value, at) => (value + (other[at] ?? 0)) / 2);
}
