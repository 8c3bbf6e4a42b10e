// Layouts keep neighbors together, are the same each time, and stay where they were when little changes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { packRecords } from '../engine/port/packed-records.ts';
import { layOut } from './lay-out.ts';
import { decodeMap, encodeMap, idsIn, type MapContent } from './map-file.ts';
import { NEIGHBORS } from './neighbor-table.ts';
import { PointSet } from './point-set.ts';
import { Random } from './random.ts';

const DIMENSION = 24;
const GROUPS = 4;
const ORIGIN = { storageId: 'index', namespace: 1, lsn: 7, total: 240, madeAt: '2026-07-01T08:00:00.000Z' };

/** Points around a few centers, with the group of each as metadata. */
function records(count: number, seed = 1) {
  const random = new Random(seed);
  const noise = () => random.next() / 2 ** 32 - 0.5;
  return Array.from({ length: count }, (_, i) => {
    const group = i % GROUPS;
    const values = Float32Array.from({ length: DIMENSION }, (_, at) => (at === group ? 3 : 0) + noise());
    const metadataJson = JSON.stringify({ group: `g${group}`, rank: i });
    return { id: `point ${i}`, values, sparse: null, metadataJson };
  });
}

function pointSet(all: ReturnType<typeof records>, share = 1): PointSet {
  const points = new PointSet({
    ...{ metric: 'euclidean', isDense: true, capacity: all.length, share },
    fields: ['group', 'rank', 'none'],
  });
  points.add(packRecords(all, DIMENSION));
  const byId = new Map(all.map((record) => [record.id, record]));
  const chosen = points.ids.flatMap((id) => byId.get(id) ?? []);
  for (const [point, { values }] of chosen.entries()) {
    const near = chosen
      .map((other) => ({
        id: other.id,
        score: other.values.reduce((sum, value, i) => sum + (value - (values[i] ?? 0)) ** 2, 0),
      }))
      .sort((a, b) => a.score - b.score)
      .slice(1, NEIGHBORS + 1);
    points.setNeighbors({
      ...{ from: point, counts: [near.length], ids: near.map(({ id }) => id) },
      scores: Float32Array.from(near, ({ score }) => score),
    });
  }
  return points;
}

async function mapOf(points: PointSet, former: Uint8Array<ArrayBuffer> | null = null): Promise<MapContent> {
  const map = decodeMap(await layOut(points, { origin: ORIGIN, former }, () => undefined));
  assert.ok(map !== null);
  return map;
}

/** The share of points whose nearest point in the plane is of their own group. */
function purity(map: MapContent): number {
  const column = map.columns.findIndex(({ name }) => name === 'group');
  const groups = map.codes[column] ?? new Uint8Array();
  let pure = 0;
  for (let a = 0; a < map.count; a++) {
    let [nearest, distance] = [-1, Number.POSITIVE_INFINITY];
    for (let b = 0; b < map.count; b++) {
      const apart = ((map.x[a] ?? 0) - (map.x[b] ?? 0)) ** 2 + ((map.y[a] ?? 0) - (map.y[b] ?? 0)) ** 2;
      if (a !== b && apart < distance) [nearest, distance] = [b, apart];
    }
    if (groups[a] === groups[nearest]) pure++;
  }
  return pure / map.count;
}

describe('a layout', () => {
  it('keeps groups of vectors together, spread over the plane', async () => {
    const map = await mapOf(pointSet(records(240)));
    assert.equal(map.count, 240);
    assert.ok(purity(map) > 0.95, String(purity(map)));
    assert.ok(Math.max(...map.x) > 50_000 && Math.min(...map.x) < 16_000);
    assert.deepEqual([map.lsn, map.total, map.madeAt], [7, 240, ORIGIN.madeAt]);
  });

  it('is the same for the same records', async () => {
    const [one, other] = [await mapOf(pointSet(records(120))), await mapOf(pointSet(records(120)))];
    assert.deepEqual(one, other);
  });

  it('keeps most points where a former map had them, and puts new ones among their neighbors', async () => {
    const all = records(244);
    const former = await mapOf(pointSet(all.slice(0, 240)));
    const renewed = await mapOf(pointSet(all), encodeMap(former));
    assert.ok(purity(renewed) > 0.95);
    const places = new Map(idsIn(former, 0, former.count).map((id, at) => [id, at]));
    const moves = idsIn(renewed, 0, renewed.count).flatMap((id, at) => {
      const place = places.get(id);
      const apart = (axis: 'x' | 'y') => (renewed[axis][at] ?? 0) - (former[axis][place ?? 0] ?? 0);
      return place === undefined ? [] : [Math.hypot(apart('x'), apart('y')) / 65_535];
    });
    moves.sort((a, b) => a - b);
    assert.equal(moves.length, 240);
    assert.ok((moves[120] ?? 1) < 0.25, `half of the points moved by ${moves[120]}`);
  });

  it('describes values of fields with a code for each point', async () => {
    const map = await mapOf(pointSet(records(100)));
    assert.deepEqual(
      map.columns.map(({ name, kind }) => [name, kind]),
      [
        ['group', 'values'],
        ['rank', 'numbers'],
      ],
    );
    const ids = idsIn(map, 0, map.count);
    for (const [at, id] of ids.entries()) {
      const rank = Number(id.split(' ')[1]);
      const [group] = map.columns;
      assert.ok(group?.kind === 'values');
      assert.equal(group.values[(map.codes[0]?.[at] ?? 0) - 1]?.value, `g${rank % GROUPS}`);
      assert.equal(map.codes[1]?.[at], 1 + Math.round((254 * rank) / 99));
    }
  });

  it('lays out an even sample where there are too many records', async () => {
    const all = records(400);
    const points = pointSet(all, 0.5);
    assert.ok(points.ids.length > 150 && points.ids.length < 250, String(points.ids.length));
    assert.equal((await mapOf(points)).count, points.ids.length);
  });

  it('lays out no point, one point and equal points', async () => {
    for (const count of [0, 1, 3]) {
      const same = records(count).map((record) => ({
        ...record,
        values: new Float32Array(DIMENSION).fill(1),
      }));
      const map = await mapOf(pointSet(same));
      assert.equal(map.count, count);
      assert.equal(idsIn(map, 0, count).length, count);
    }
  });

  it('takes damaged files and those of other formats for none', async () => {
    const file = encodeMap(await mapOf(pointSet(records(20))));
    for (const at of [0, 5, 9, 14, 40, file.length - 1]) {
      const damaged = file.slice();
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      assert.equal(decodeMap(damaged), null, `byte ${at}`);
    }
    assert.equal(decodeMap(file.subarray(0, 10)), null);
  });
});
