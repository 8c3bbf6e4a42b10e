// What a contest by turns brings: our point and the others, each with how ours compares with it round by round.
import type { Spread } from './spread.ts';

export interface Standing<Point> {
  readonly point: Point;
  readonly qps: Spread;
  /** Our queries a second to this one's, of the same rounds. */
  readonly ratio: Spread;
  /** The same a second of processor time, which other work on the machine hardly changes; null where that was not counted. */
  readonly cpuRatio: Spread | null;
}

export interface Contest<Point, One extends Standing<Point> = Standing<Point>> {
  readonly ours: One;
  readonly others: readonly One[];
}

/** The one with the smallest ratio of ours to it, speed's or another; none of nobody. */
export function strongest<One>(others: readonly One[], ratioOf: (one: One) => Spread): One | null {
  return others.toSorted((a, b) => ratioOf(a).median - ratioOf(b).median)[0] ?? null;
}
