// Places and areas against vectors in space, which know neither poles nor an antimeridian.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  ANTIMERIDIAN,
  type Area,
  boundsOf,
  EARTH_METERS,
  isIn,
  isInBounds,
  metersBetween,
  POLE,
  type Position,
  positionOf,
  positionsOf,
  unitsOf,
} from './geo.ts';

const RUNS = { seed: 62, numRuns: 5_000 };

const latitude = fc.oneof(
  fc.integer({ min: -POLE, max: POLE }),
  fc.constantFrom(-POLE, POLE, 0, POLE - 1, unitsOf(89.9)),
);
const longitude = fc.oneof(
  fc.integer({ min: -ANTIMERIDIAN, max: ANTIMERIDIAN }),
  fc.constantFrom(-ANTIMERIDIAN, ANTIMERIDIAN, 0, ANTIMERIDIAN - 1, unitsOf(-179.99)),
);
const position: fc.Arbitrary<Position> = fc.record({ latitude, longitude });
const meters = fc.oneof(
  fc.constantFrom(0, 1, 1_000, 20_100_000),
  fc.double({ min: 0, max: 2e7, noNaN: true }),
);

/** By the angle between two vectors from the center of the Earth. */
function metersInSpace(a: Position, b: Position): number {
  const [ax, ay, az] = inSpace(a);
  const [bx, by, bz] = inSpace(b);
  const cross = Math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx);
  return EARTH_METERS * Math.atan2(cross, ax * bx + ay * by + az * bz);
}

function inSpace({ latitude, longitude }: Position): readonly [number, number, number] {
  const [north, east] = [(latitude * Math.PI) / ANTIMERIDIAN, (longitude * Math.PI) / ANTIMERIDIAN];
  return [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)];
}

test('selects by radius what is as near in space, over poles and the antimeridian', () => {
  let decided = 0;
  fc.assert(
    fc.property(position, position, meters, (center, place, radius) => {
      const distance = metersInSpace(center, place);
      // Rounding may decide on the very line.
      if (Math.abs(distance - radius) < 0.5) return;
      decided++;
      assert.equal(isIn({ kind: 'circle', ...center, meters: radius })(place), distance < radius);
    }),
    RUNS,
  );
  assert.ok(decided > RUNS.numRuns / 2);
});

test('selects near places by a small radius wherever on the Earth', () => {
  const near = fc.integer({ min: -1_000_000, max: 1_000_000 });
  fc.assert(
    fc.property(position, near, near, fc.integer({ min: 1, max: 20_000 }), (center, north, east, radius) => {
      const place = {
        latitude: Math.max(-POLE, Math.min(POLE, center.latitude + north)),
        longitude: wrap(center.longitude + east),
      };
      const distance = metersInSpace(center, place);
      if (Math.abs(distance - radius) < 0.5) return;
      assert.equal(isIn({ kind: 'circle', ...center, meters: radius })(place), distance < radius);
    }),
    RUNS,
  );
});

function wrap(value: number): number {
  if (value > ANTIMERIDIAN) return value - 2 * ANTIMERIDIAN;
  return value < -ANTIMERIDIAN ? value + 2 * ANTIMERIDIAN : value;
}

test('contains every circle in its bounds', () => {
  fc.assert(
    fc.property(position, position, meters, (center, place, radius) => {
      const area: Area = { kind: 'circle', ...center, meters: radius };
      if (metersInSpace(center, place) < radius) assert.ok(isInBounds(boundsOf(area), place));
    }),
    RUNS,
  );
});

test('selects by a box what is eastward of its west, and every longitude of a pole', () => {
  const box = fc.record({ south: latitude, north: latitude, west: longitude, east: longitude });
  fc.assert(
    fc.property(box, position, ({ south: a, north: b, west, east }, place) => {
      const [south, north] = [Math.min(a, b), Math.max(a, b)];
      const turn = 2 * ANTIMERIDIAN;
      const eastward = (value: number): number => (((value - west) % turn) + turn) % turn;
      const isWhole = west === -ANTIMERIDIAN && east === ANTIMERIDIAN;
      const inLongitudes = isWhole || eastward(place.longitude) <= eastward(east);
      const inLatitudes = place.latitude >= south && place.latitude <= north;
      const expected = inLatitudes && (Math.abs(place.latitude) === POLE || inLongitudes);
      assert.equal(isIn({ kind: 'box', south, north, west, east })(place), expected);
    }),
    RUNS,
  );
});

test('measures known distances by great circles', () => {
  const [berlin, paris] = [
    { latitude: unitsOf(52.52), longitude: unitsOf(13.405) },
    { latitude: unitsOf(48.8566), longitude: unitsOf(2.3522) },
  ];
  assert.ok(Math.abs(metersBetween(berlin, paris) - 877_460) < 50);
  assert.equal(metersBetween(berlin, berlin), 0);
});

test('reads latitude and longitude from a text, and nothing from others', () => {
  assert.deepEqual(positionOf('52.52,13.405'), { latitude: 525_200_000, longitude: 134_050_000 });
  assert.deepEqual(positionOf(' -33.5 , +151 '), { latitude: -335_000_000, longitude: 1_510_000_000 });
  assert.deepEqual(positionOf('-0,0'), { latitude: 0, longitude: 0 });
  for (const text of [
    '91,0',
    '0,181',
    '-90.1,0',
    '1',
    '1,2,3',
    'a,b',
    '1,',
    ',1',
    '1;2',
    '1e1,2',
    `1.${'0'.repeat(60)},1`,
  ])
    assert.equal(positionOf(text), null, text);
  assert.equal(positionsOf(['1,2', 'x', '3,4']).length, 2);
  for (const value of [1, true, [], 'x', undefined]) assert.deepEqual(positionsOf(value), []);
});
