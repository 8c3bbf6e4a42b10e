// Which of the settings measured go into a contest: those that find enough and may be the best.

interface Found {
  readonly recall: number;
}

/** What lets a point into a contest. */
export interface Entry<Point> {
  readonly recall: number;
  readonly kindOf: (point: Point) => unknown;
  /** Queries a second: of processor time where that is known, as other work on the machine hardly changes it. */
  readonly speedOf: (point: Point) => number;
}

/** A sweep ranks roughly: of each kind so many settings are measured again by turns. */
const CONTENDERS_EACH = 2;
/** Nothing that a sweep finds slower than this share of the fastest wins a contest. */
const SPEED_SHARE_MIN = 0.5;

/** Of points in the order of their effort, the first that finds enough; none where none does. */
export function leastEffort<Point extends Found>(points: readonly Point[], recall: number): Point | null {
  return points.find((point) => point.recall >= recall) ?? null;
}

/** Points that find enough: the fastest of each kind, unless much slower than the fastest of all. Fastest first. */
export function contenders<Point extends Found>(
  points: readonly Point[],
  { recall, kindOf, speedOf }: Entry<Point>,
): readonly Point[] {
  const enough = points.filter((point) => point.recall >= recall);
  const ranked = enough.toSorted((a, b) => speedOf(b) - speedOf(a));
  const [fastest] = ranked;
  const before = new Map<unknown, number>();
  return ranked.filter((point) => {
    const place = before.get(kindOf(point)) ?? 0;
    before.set(kindOf(point), place + 1);
    const share = fastest === undefined ? 0 : speedOf(point) / speedOf(fastest);
    return place < CONTENDERS_EACH && share >= SPEED_SHARE_MIN;
  });
}

/** The point that finds most; none of no points. */
export function mostFound<Point extends Found>(points: readonly Point[]): Point | null {
  return points.toSorted((a, b) => b.recall - a.recall)[0] ?? null;
}
