// The records that the console's table is measured with: Parquet files for a bulk import, the same on every machine.
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { hardVectors, Random } from '../../src/engine/embedded/kernels/testing/hard-vectors.ts';
import { ParquetRecordWriter } from '../../src/file-formats/parquet/write-file.ts';

export const DIMENSION = 32;
const LATENT_DIMENSION = 16;
const CLUSTERS = 1_000;
const FILE_RECORDS = 250_000;
const CATEGORIES = 12;
const YEARS = 60;
const FIRST_YEAR = 1965;
const COLORS = ['red', 'green', 'blue', 'black', 'white', 'gold', 'grey'];
/** Prices in cents below this: nearly as many different ones as records. */
const PRICE_CENTS = 100_000_000;
/** A record in so many has the same group; filters on lower numbers match more. */
export const GROUPS = 10_000;

/** In the order of the numbers, since ids are compared as bytes. */
export function idOf(number: number): string {
  return `record-${String(number).padStart(7, '0')}`;
}

/** Writes `count` records below `folder`, in the layout of imports. */
export async function writeRecords(folder: string, count: number): Promise<void> {
  mkdirSync(join(folder, '__default__'), { recursive: true });
  const random = new Random(11);
  const shape = { dim: DIMENSION, latentDim: LATENT_DIMENSION, clusters: CLUSTERS };
  const next = hardVectors(new Random(7), shape);
  for (let first = 0; first < count; first += FILE_RECORDS) {
    const stream = createWriteStream(join(folder, '__default__', `${first}.parquet`));
    const writer = new ParquetRecordWriter(
      (bytes) =>
        new Promise((resolve, reject) => stream.write(bytes, (error) => (error ? reject(error) : resolve()))),
    );
    for (let number = first; number < Math.min(first + FILE_RECORDS, count); number++) {
      const metadataJson = JSON.stringify(metadataOf(number, random));
      await writer.add({ id: idOf(number), values: next().slice(), sparse: null, metadataJson });
    }
    await writer.finish();
    stream.end();
    await finished(stream);
  }
}

/** Fields of few values and of many, a list, and a number of which any share of the records is below a bound. */
function metadataOf(number: number, random: Random) {
  const below = (bound: number) => random.integer(bound);
  return {
    category: `category ${below(CATEGORIES)}`,
    year: FIRST_YEAR + below(YEARS),
    price: below(PRICE_CENTS) / 100,
    group: below(GROUPS),
    colors: [COLORS[below(COLORS.length)], COLORS[below(COLORS.length)]],
    in_stock: below(2) === 0,
    title: `The title of the record with the number ${number}`,
  };
}
