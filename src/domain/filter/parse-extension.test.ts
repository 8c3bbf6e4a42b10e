// The operators of this server's own: what they accept and what they select, and an error that says where for the rest.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../faults.ts';
import { matches } from './matches.ts';
import { parseFilter } from './parse-filter.ts';

type Metadata = Parameters<typeof matches>[1];

const BERLIN = { lat: 52.52, lon: 13.405, meters: 30_000 };
const FIJI = { south: -20, west: 177, north: -16, east: -178 };

const CASES: readonly (readonly [
  title: string,
  condition: object,
  selected: Metadata[],
  left: Metadata[],
])[] = [
  [
    'a moment is compared across time zones',
    { $datetime: { $gte: '2024-05-01T00:00:00+02:00' } },
    [{ f: '2024-04-30T22:00:00Z' }, { f: '2024-05-01' }, { f: '2024-04-30 19:00-03:30' }],
    [{ f: '2024-04-30T21:59:59.999999Z' }, { f: '2024-05-01T00:00:00+03:00' }, { f: 1_714_521_600 }, {}],
  ],
  [
    'bounds are left out by $gt and $lt',
    { $datetime: { $gt: '2024-01-01', $lt: '2024-01-02' } },
    [{ f: '2024-01-01T00:00:00.000001Z' }, { f: '2024-01-01T23:59:59.999999Z' }],
    [{ f: '2024-01-01' }, { f: '2024-01-02' }],
  ],
  [
    'bounds are included by $gte and $lte',
    { $datetime: { $gte: '2024-01-01', $lte: '2024-01-02' } },
    [{ f: '2024-01-01' }, { f: '2024-01-02T00:00Z' }],
    [{ f: '2023-12-31' }, { f: '2024-01-02T00:00:00.000001Z' }],
  ],
  [
    '$eq is the same moment, however it is written',
    { $datetime: { $eq: '2024-01-01T12:00:00+01:00' } },
    [{ f: '2024-01-01T11:00Z' }, { f: '2024-01-01 11:00:00.000' }],
    [{ f: '2024-01-01' }, { f: '2024-01-01T12:00:00Z' }],
  ],
  [
    'one element of a list meets all bounds',
    { $datetime: { $gte: '2024-01-01', $lt: '2024-02-01' } },
    [{ f: ['x', '2024-01-15'] }],
    [{ f: ['2023-01-01', '2025-01-01'] }, { f: [] }],
  ],
  [
    'texts that are no dates match nothing',
    { $datetime: { $gt: '0000-01-01' } },
    [{ f: '0001-01-01' }],
    [{ f: 'x' }, { f: '2024' }],
  ],
  [
    '$not inverts, absent fields included',
    { $not: { $datetime: { $gte: '2024-01-01' } } },
    [{}, { f: 'x' }, { f: '2023-01-01' }],
    [{ f: '2024-01-01' }],
  ],
  [
    'a radius selects what is near, also one place of many',
    { $geo_radius: BERLIN },
    [{ f: '52.39,13.06' }, { f: ['48.8566,2.3522', '52.5,13.4'] }],
    [{ f: '48.8566,2.3522' }, { f: 'Berlin' }, { f: 52.52 }, {}],
  ],
  [
    'a box crosses the antimeridian where west is above east',
    { $geo_box: FIJI },
    [{ f: '-18.1,178.4' }, { f: '-17,-179.9' }, { f: '-16,180' }, { f: '-16,-180' }],
    [{ f: '-18.1,0' }, { f: '-18,176.9' }, { f: '-18,-177.9' }, { f: '-15.9,179' }],
  ],
];

for (const [title, condition, selected, left] of CASES) {
  test(`selects so that ${title}`, () => {
    const parsed = parseFilter({ f: condition });
    for (const metadata of selected) assert.equal(matches(parsed, metadata), true, JSON.stringify(metadata));
    for (const metadata of left) assert.equal(matches(parsed, metadata), false, JSON.stringify(metadata));
  });
}

const REFUSED: readonly (readonly [condition: object, message: string])[] = [
  [
    { $datetime: { $gt: '2024-13-01' } },
    'operator $datetime on field f: $gt must be a date or time of ISO 8601, got "2024-13-01": expected a month, 01 to 12 at character 6',
  ],
  [
    { $datetime: { $gt: 5 } },
    'operator $datetime on field f: $gt must be a date or time of ISO 8601 as a string, got 5',
  ],
  [{ $datetime: {} }, 'operator $datetime on field f: needs one of $eq, $gt, $gte, $lt, $lte'],
  [
    { $datetime: { $in: ['2024-01-01'] } },
    'operator $datetime on field f: has the unknown key $in; expected $eq, $gt, $gte, $lt, $lte',
  ],
  [
    { $datetime: '2024-01-01' },
    'operator $datetime on field f: must be an object with $eq, $gt, $gte, $lt, $lte, got "2024-01-01"',
  ],
  [
    { $geo_radius: { ...BERLIN, lat: 90.1 } },
    'operator $geo_radius on field f: lat must be a number from -90 to 90, got 90.1',
  ],
  [
    { $geo_radius: { ...BERLIN, lon: '13' } },
    'operator $geo_radius on field f: lon must be a number from -180 to 180, got "13"',
  ],
  [
    { $geo_radius: { ...BERLIN, meters: -1 } },
    'operator $geo_radius on field f: meters must be a number from 0 to 20100000, got -1',
  ],
  [
    { $geo_radius: { lat: 1, lon: 2 } },
    'operator $geo_radius on field f: meters must be a number from 0 to 20100000, got undefined',
  ],
  [
    { $geo_radius: { ...BERLIN, km: 1 } },
    'operator $geo_radius on field f: has the unknown key km; expected lat, lon, meters',
  ],
  [{ $geo_box: { ...FIJI, north: -21 } }, 'operator $geo_box on field f: south must not be above north'],
  [
    { $geo_box: [1, 2, 3, 4] },
    'operator $geo_box on field f: must be an object with south, west, north, east, got [1,2,3,4]',
  ],
];

for (const [condition, message] of REFUSED) {
  test(`refuses ${JSON.stringify(condition)}`, () => {
    assert.throws(
      () => parseFilter({ f: condition }),
      (error) =>
        error instanceof Fault && error.condition === 'invalid-argument' && error.message === message,
    );
  });
}
