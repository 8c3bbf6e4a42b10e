// Draws points into the pixels of a canvas: faster than calls for each, and than WebGL where software has to do it.
import type { Cloud } from './cloud.ts';
import type { Viewport } from './viewport.ts';

/** More points than this at a time say no more, and take longer. */
export const SHOWN_MAX = 50_000;
const SIZE = { min: 2, max: 9, few: 12, perDoubling: 0.75 };

export interface PointColors {
  /** One for each code, as pixels. */
  readonly palette: Uint32Array;
  /** Null for one color. */
  readonly codes: Uint8Array | null;
  /** The pixels where nothing is. */
  readonly ground: number;
}

export interface Marks {
  /** 1 for each point that is marked. */
  readonly points: Uint8Array;
  readonly color: number;
}

/** @returns how many points were drawn */
export function drawPoints(
  pixels: Uint32Array,
  { cloud, view, colors }: { readonly cloud: Cloud; readonly view: Viewport; readonly colors: PointColors },
): number {
  const { palette, codes, ground } = colors;
  const { width, height, scale } = view;
  pixels.fill(ground);
  const size = pointSize(view, cloud.count);
  const half = size >> 1;
  const left = width / 2 - view.center.x * scale - half;
  const top = height / 2 - view.center.y * scale - half;
  const { x, y } = cloud;
  return cloud.visit(view, SHOWN_MAX, (point) => {
    const px = Math.round(left + (x[point] ?? 0) * scale);
    const py = Math.round(top + (y[point] ?? 0) * scale);
    const color = palette[codes?.[point] ?? 0] ?? 0;
    if (px < 0 || py < 0 || px + size > width || py + size > height) return;
    for (let row = py * width + px, end = row + size * width; row < end; row += width)
      for (let at = row; at < row + size; at++) pixels[at] = color;
  });
}

/** Draws marked points over the others, with a rim; all of them, whatever is in view. */
export function drawMarks(
  pixels: Uint32Array,
  { cloud, view, colors }: { readonly cloud: Cloud; readonly view: Viewport; readonly colors: PointColors },
  marks: Marks,
): void {
  const size = pointSize(view, cloud.count) + 4;
  const { width, height } = view;
  for (let point = 0; point < cloud.count; point++) {
    if (marks.points[point] !== 1) continue;
    const place = view.toCanvas(cloud.x[point] ?? 0, cloud.y[point] ?? 0);
    const px = Math.round(place.x - size / 2);
    const py = Math.round(place.y - size / 2);
    if (px < 1 || py < 1 || px + size + 1 > width || py + size + 1 > height) continue;
    for (let row = -1; row <= size; row++)
      for (let column = -1; column <= size; column++) {
        const isRim = row < 0 || column < 0 || row === size || column === size;
        pixels[(py + row) * width + px + column] = isRim ? colors.ground : marks.color;
      }
  }
}

/** Pixels along a side of a point: more where there are few points, and where they are enlarged. */
function pointSize({ zoom }: Viewport, count: number): number {
  const size = SIZE.few + SIZE.perDoubling * Math.log2(Math.max(1, zoom) / Math.max(1, count));
  return Math.round(Math.min(SIZE.max, Math.max(SIZE.min, size)));
}

/** `#rrggbb` as a pixel of a little-endian machine. */
export function pixelOf(color: string): number {
  const value = Number.parseInt(color.slice(1), 16);
  return (0xff000000 | ((value & 0xff) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
}
