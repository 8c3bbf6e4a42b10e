// Conformance: filters on the moments and the places that texts of the metadata tell.
import assert from 'node:assert/strict';
import { parseFilter } from '../../domain/filter/parse-filter.ts';
import type { Metadata, VectorReader } from '../port/reader-and-writer.ts';
import { ANY_BYTES, type Check, idsOf, unchanged } from './harness.ts';
import { dense, sampleQuery } from './sample-data.ts';

const RECORDS: readonly (readonly [id: string, metadata: Metadata])[] = [
  ['berlin', { place: '52.52,13.405', opened: '2024-05-01T00:00:00+02:00' }],
  ['everywhere', { place: ['48.8566,2.3522', '52.39,13.06'], opened: ['1999-01-01', 'later'] }],
  ['fiji', { place: '-17,-179.9', opened: '2024-05-01' }],
  ['none', { place: 'unknown', opened: 2024 }],
  ['pole', { place: '-90,12', opened: '0001-01-01 00:00' }],
];

const CASES: readonly (readonly [filter: object, ids: readonly string[]])[] = [
  [{ opened: { $datetime: { $lt: '2024-05-01' } } }, ['berlin', 'everywhere', 'pole']],
  [{ opened: { $datetime: { $gte: '2024-04-30T22:00Z', $lte: '2024-05-01' } } }, ['berlin', 'fiji']],
  [{ opened: { $datetime: { $eq: '2024-04-30T22:00:00.000000' } } }, ['berlin']],
  [{ opened: { $datetime: { $gt: '1999-01-01' } } }, ['berlin', 'fiji']],
  [{ $not: { opened: { $datetime: { $gt: '0000-01-01' } } } }, ['none']],
  [{ place: { $geo_radius: { lat: 52.5, lon: 13.4, meters: 50_000 } } }, ['berlin', 'everywhere']],
  [{ place: { $geo_radius: { lat: -17, lon: 179.9, meters: 25_000 } } }, ['fiji']],
  [{ place: { $geo_radius: { lat: -89.9, lon: -168, meters: 12_000 } } }, ['pole']],
  [{ place: { $geo_box: { south: -20, west: 177, north: -16, east: -178 } } }, ['fiji']],
  [{ place: { $geo_box: { south: -90, west: 100, north: 0, east: 110 } } }, ['pole']],
  [
    { place: { $geo_radius: { lat: 0, lon: 0, meters: 20_100_000 } } },
    ['berlin', 'everywhere', 'fiji', 'pole'],
  ],
  [{ opened: '2024-05-01' }, ['fiji']],
];

export function datesAndPlaces(check: Check): void {
  check(
    'selects by moments and areas in queries, pages, counts and writes',
    {},
    async ({ reader, writer }) => {
      await writer.upsert(
        '',
        RECORDS.map(([id, metadata], i) => dense(id, [1, i, 0, 0], metadata)),
      );
      for (const [filter, ids] of CASES) await assertSelected(reader, filter, ids);
      assert.deepEqual(await reader.indexedFields(''), ['opened', 'place']);
      await writer.update('', {
        ...unchanged('none'),
        setMetadata: { opened: '2024-05-01', place: '52.5,13' },
      });
      await assertSelected(reader, { opened: { $datetime: { $eq: '2024-05-01' } } }, ['fiji', 'none']);
      const near = parseFilter({ place: { $geo_radius: { lat: 52.5, lon: 13.4, meters: 50_000 } } });
      assert.equal((await writer.deleteByFilter('', near)).matched, 3);
      await assertSelected(reader, {}, ['fiji', 'pole']);
    },
  );

  check(
    'does not see moments and places of fields outside the schema',
    { filterableFields: ['place'] },
    async ({ reader, writer }) => {
      await writer.upsert(
        '',
        RECORDS.map(([id, metadata], i) => dense(id, [1, i, 0, 0], metadata)),
      );
      await assertSelected(reader, { opened: { $datetime: { $gt: '0000-01-01' } } }, []);
      await assertSelected(reader, { place: { $geo_radius: { lat: -17, lon: 179.9, meters: 25_000 } } }, [
        'fiji',
      ]);
    },
  );
}

async function assertSelected(reader: VectorReader, json: object, ids: readonly string[]): Promise<void> {
  const filter = parseFilter(json);
  const message = JSON.stringify(json);
  const page = await reader.fetchByFilter({
    namespace: '',
    filter,
    limit: 10,
    after: null,
    bytesMax: ANY_BYTES,
  });
  assert.deepEqual(idsOf(page.items), ids, message);
  assert.equal(await reader.count('', filter), ids.length, message);
  const matches = await reader.query(sampleQuery({ values: Float32Array.of(1, 1, 0, 0), filter }));
  assert.deepEqual(idsOf(matches).toSorted(), ids, message);
}
