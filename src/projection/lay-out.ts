// Makes a map of points and their neighbors: first positions, the weighted graph, the descent, the file.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { COORDINATE_MAX } from '../domain/maps/namespace-maps.ts';
import { fuzzyGraph } from './fuzzy-graph.ts';
import { LayoutOptimizer } from './layout-optimizer.ts';
import { decodeMap, encodeMap, idsIn, type MapContent } from './map-file.ts';
import type { PointSet } from './point-set.ts';
import type { LayoutRequest, MapOrigin } from './port.ts';
import { principalPositions } from './principal-axes.ts';
import { mixed, Random } from './random.ts';

/** As UMAP's authors advise: more for few points. */
const EPOCHS = { few: 500, many: 200, fewBelow: 10_000 };
/** A layout that begins where a former one ended moves less, and for a shorter time. */
const RENEWED = { epochsShare: 0.4, rate: 0.5, knownMin: 0.7 };
/** Moves points of equal vectors apart, so that they can part. */
const JITTER = 1e-3;
const SEED = 20_265;
/** The extent of a map of former positions. */
const FORMER_EXTENT = 20;
/** Points beyond these shares of all do not decide the extent of the plane; they lie on its rim. */
const RIM_SHARE = 5e-4;
const MARGIN = 0.02;

/** @returns the bytes of the map's file */
export async function layOut(
  points: PointSet,
  { origin, former }: LayoutRequest,
  onProgress: (share: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const count = points.ids.length;
  const known = former === null ? null : formerPositions(points, former);
  const positions = known ?? principalPositions(points.sketches, count);
  jitter(positions);
  const epochs = count < EPOCHS.fewBelow ? EPOCHS.few : EPOCHS.many;
  const optimizer = new LayoutOptimizer(fuzzyGraph(points.neighbors), positions, {
    epochs: known === null ? epochs : Math.round(epochs * RENEWED.epochsShare),
    rate: known === null ? 1 : RENEWED.rate,
  });
  while (optimizer.done < 1) {
    optimizer.step();
    onProgress(optimizer.done);
    await nextTurn();
  }
  return encodeMap({ ...origin, ...contentOf(points, positions) });
}

/** Positions of a former map, and for new points those of their neighbors; null where too few points are known. */
function formerPositions(points: PointSet, file: Uint8Array): Float32Array<ArrayBuffer> | null {
  const former = decodeMap(file);
  if (former === null) return null;
  const places = new Map(idsIn(former, 0, former.count).map((id, at) => [id, at]));
  const at = points.ids.map((id) => places.get(id));
  if (at.filter((place) => place !== undefined).length < RENEWED.knownMin * at.length) return null;
  const positions = new Float32Array(2 * at.length);
  const scale = (coordinate: number | undefined) =>
    FORMER_EXTENT * ((coordinate ?? COORDINATE_MAX / 2) / COORDINATE_MAX - 0.5);
  const { neighbors } = points;
  const perPoint = at.length === 0 ? 0 : neighbors.points.length / at.length;
  for (const [point, own] of at.entries()) {
    const near = neighbors.points
      .subarray(point * perPoint, (point + 1) * perPoint)
      .find((neighbor) => neighbor >= 0 && at[neighbor] !== undefined);
    const place = own ?? (near === undefined ? undefined : at[near]);
    positions[2 * point] = place === undefined ? 0 : scale(former.x[place]);
    positions[2 * point + 1] = place === undefined ? 0 : scale(former.y[place]);
  }
  return positions;
}

function jitter(positions: Float32Array): void {
  const random = new Random(SEED);
  for (let i = 0; i < positions.length; i++)
    positions[i] = (positions[i] ?? 0) + JITTER * (random.next() / 2 ** 31 - 1);
}

function contentOf(points: PointSet, positions: Float32Array): Omit<MapContent, keyof MapOrigin> {
  const count = points.ids.length;
  // Scattered, so that the first points are an even sample.
  const order = Uint32Array.from({ length: count }, (_, point) => point).sort(
    (a, b) => mixed(a + SEED) - mixed(b + SEED),
  );
  const range = extentOf(positions);
  const scaled = (axis: 0 | 1) =>
    Uint16Array.from(order, (point) => {
      const share = ((positions[2 * point + axis] ?? 0) - range.center[axis]) / range.extent + 0.5;
      return Math.round(COORDINATE_MAX * Math.min(1, Math.max(0, share)));
    });
  const ids = Array.from(order, (point) => Buffer.from(points.ids[point] ?? ''));
  let end = 0;
  const idEnds = Uint32Array.from(ids, (id) => {
    end += id.length;
    return end;
  });
  const fields = points.fields.flatMap((field) => field.finish(order) ?? []);
  return {
    ...{ count, x: scaled(0), y: scaled(1), idEnds, idBytes: Buffer.concat(ids) },
    columns: fields.map(({ column }) => column),
    codes: fields.map(({ codes }) => codes),
  };
}

/** The square that holds nearly all points. */
function extentOf(positions: Float32Array): {
  readonly center: readonly [number, number];
  readonly extent: number;
} {
  const spans = [0, 1].map((axis) => {
    const sorted = positions.filter((_, i) => i % 2 === axis).sort();
    const rim = Math.floor(sorted.length * RIM_SHARE);
    return { low: sorted[rim] ?? 0, high: sorted.at(-1 - rim) ?? 0 };
  });
  const [x = { low: 0, high: 0 }, y = { low: 0, high: 0 }] = spans;
  const extent = Math.max(x.high - x.low, y.high - y.low) * (1 + 2 * MARGIN);
  return { center: [(x.low + x.high) / 2, (y.low + y.high) / 2], extent: extent || 1 };
}
