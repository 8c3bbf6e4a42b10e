// Answers over the wire equal a naive evaluation: three metrics, filters, and writes going on beside.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Connection } from './support/connection.ts';
import { effort } from './support/effort.ts';
import { assertMatches, type Metric, type ModelRecord } from './support/model.ts';
import { Random } from './support/random.ts';
import { SEVERAL_READERS, type Service, startService } from './support/service.ts';

const RECORDS = 2_000;
const DIMENSION = 64;
const BATCH = 500;
/** Of queries beside writes. */
const ROUNDS = effort({ daily: 1, long: 10 });
const METRICS: readonly Metric[] = ['cosine', 'dotproduct', 'euclidean'];
const GENRES = ['drama', 'comedy', 'horror', 'news'];

type Where = (record: ModelRecord) => boolean;

/** Filters of the language beside what each means. */
const FILTERS: readonly (readonly [filter: object | undefined, where: Where])[] = [
  [undefined, () => true],
  [{ genre: 'drama' }, ({ metadata }) => metadata?.genre === 'drama'],
  [
    { year: { $gte: 2010, $lt: 2012 } },
    ({ metadata }) => yearOf(metadata) >= 2010 && yearOf(metadata) < 2012,
  ],
  [
    { genre: { $in: ['news', 'horror'] } },
    ({ metadata }) => ['news', 'horror'].includes(String(metadata?.genre)),
  ],
  [
    { genre: { $ne: 'drama' } },
    ({ metadata }) => metadata?.genre !== undefined && metadata.genre !== 'drama',
  ],
  [{ rare: { $exists: true } }, ({ metadata }) => metadata?.rare === true],
  [{ tags: 'blue' }, ({ metadata }) => tagsOf(metadata).includes('blue')],
  [
    { $or: [{ $and: [{ tags: 'red' }, { tags: 'blue' }] }, { year: 2001 }] },
    ({ metadata }) =>
      (tagsOf(metadata).includes('red') && tagsOf(metadata).includes('blue')) || yearOf(metadata) === 2001,
  ],
  [{ genre: 'no such genre' }, () => false],
];

function yearOf(metadata: ModelRecord['metadata']): number {
  return Number(metadata?.year);
}

function tagsOf(metadata: ModelRecord['metadata']): readonly string[] {
  return Array.isArray(metadata?.tags) ? metadata.tags : [];
}

function makeRecords(random: Random): ReadonlyMap<string, ModelRecord> {
  const records = Array.from({ length: RECORDS }, (_, i) => {
    const tags = ['red', 'blue', 'green'].filter(() => random.next() < 0.3);
    const metadata = {
      genre: random.pick(GENRES),
      year: 2000 + random.below(20),
      tags,
      ...(i % 97 === 0 ? { rare: true } : {}),
    };
    return { id: `record-${i}`, values: random.vector(DIMENSION), metadata };
  });
  return new Map(records.map((record) => [record.id, record]));
}

describe('queries over the wire', () => {
  let service: Service;
  before(async () => {
    service = await startService({ env: SEVERAL_READERS });
  });
  after(() => service.dispose());

  for (const metric of METRICS) {
    it(`return what a naive evaluation of ${metric} returns, filtered or not, even while others write`, async () => {
      const random = new Random(METRICS.indexOf(metric) + 1);
      const host = await service.createIndex({ name: metric, dimension: DIMENSION, metric });
      const [reader, writer] = [new Connection(host), new Connection(host)];
      const records = makeRecords(random);
      const all = [...records.values()];
      for (let i = 0; i < RECORDS; i += BATCH) await writer.upsert('main', all.slice(i, i + BATCH));

      const check = async () => {
        for (const [filter, where] of FILTERS) {
          const vector = random.vector(DIMENSION);
          const topK = random.pick([1, 10, 100, RECORDS]);
          const matches = await reader.query({ namespace: 'main', vector, topK, filter });
          assertMatches(matches, records, { metric, vector, topK, where });
        }
      };
      await check();
      let writing = true;
      const load = (async () => {
        for (let round = 0; writing; round++) {
          const vectors = Array.from({ length: 50 }, (_, i) => ({
            id: `other-${(round * 50 + i) % 500}`,
            values: random.vector(DIMENSION),
          }));
          await writer.upsert('other', vectors);
        }
      })();
      try {
        for (let round = 0; round < ROUNDS; round++) await check();
      } finally {
        writing = false;
        await load;
      }
      reader.close();
      writer.close();
    });
  }

  it('return stored values and metadata exactly as sent', async () => {
    const random = new Random(9);
    const host = await service.createIndex({ name: 'echo', dimension: DIMENSION, metric: 'euclidean' });
    const connection = new Connection(host);
    const records = [...makeRecords(random).values()].slice(0, 20);
    await connection.upsert('', records);
    const query = { vector: random.vector(DIMENSION), topK: 100, includeValues: true, includeMetadata: true };
    const found = (await connection.query(query)) as readonly (ModelRecord & { score: number })[];
    assert.equal(found.length, records.length);
    for (const { score: _, ...record } of found) {
      assert.deepEqual(
        record,
        records.find(({ id }) => id === record.id),
      );
    }
    connection.close();
  });
});
