// Which points lie in what a person has drawn around them.
import type { Cloud } from './cloud.ts';
import { Viewport } from './viewport.ts';

export interface Corner {
  readonly x: number;
  readonly y: number;
}

/** The points inside of a closed line, given in places of the map. */
export function pointsWithin(cloud: Cloud, line: readonly Corner[]): readonly number[] {
  if (line.length < 3) return [];
  const [left, right] = [Math.min(...line.map(({ x }) => x)), Math.max(...line.map(({ x }) => x))];
  const [top, bottom] = [Math.min(...line.map(({ y }) => y)), Math.max(...line.map(({ y }) => y))];
  const box = new Viewport(
    { width: right - left, height: bottom - top },
    { x: (left + right) / 2, y: (top + bottom) / 2 },
    1,
  );
  const found: number[] = [];
  cloud.visit(box, Number.POSITIVE_INFINITY, (point) => {
    if (isWithin(line, cloud.x[point] ?? 0, cloud.y[point] ?? 0)) found.push(point);
  });
  return found.sort((a, b) => a - b);
}

/** The corners of what a canvas shows. */
export function cornersOf(view: Viewport): readonly Corner[] {
  const { width, height } = view;
  return [view.toMap(0, 0), view.toMap(width, 0), view.toMap(width, height), view.toMap(0, height)];
}

/** Counts how often a ray to the right crosses the line. */
function isWithin(line: readonly Corner[], x: number, y: number): boolean {
  let isInside = false;
  let last = line.at(-1) ?? { x: 0, y: 0 };
  for (const corner of line) {
    const crosses = corner.y > y !== last.y > y;
    if (crosses && x < ((last.x - corner.x) * (y - corner.y)) / (last.y - corner.y) + corner.x)
      isInside = !isInside;
    last = corner;
  }
  return isInside;
}
