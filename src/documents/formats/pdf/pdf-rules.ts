// Finds the horizontal and vertical rules that a PDF page draws: the borders of the cells of tables.

import { type QuarterTurns, turned } from './pdf-direction.ts';
import { drawingSteps, numbersIn, type OperatorList, placed, type StateOperators } from './pdf-drawing.ts';

export interface RuleOperators extends StateOperators {
  readonly constructPath: number;
  /** Ends a path without painting it. */
  readonly endPath: number;
}

export interface Rule {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
}

export interface Rules {
  readonly vertical: readonly Rule[];
  readonly horizontal: readonly Rule[];
}

export const NO_RULES: Rules = { vertical: [], horizontal: [] };

/** Of one page; a page with more is a drawing. */
const RULES_MAX = 3_000;
/** In points. */
const SLANT_MAX = 1;
const LENGTH_MIN = 5;
/** How many numbers follow each kind of step in a path: to, line, curve, curve by one point, close. */
const STEP_NUMBERS = [2, 2, 6, 4, 0];
const LINE_STEP = 1;
const CLOSE_STEP = 4;

/** Returns the rules of a page, edges of filled boxes included; none where there are too many. */
export function rulesOf(list: OperatorList, ops: RuleOperators): Rules {
  const vertical: Rule[] = [];
  const horizontal: Rule[] = [];
  for (const { operator, args, matrix } of drawingSteps(list, ops)) {
    if (operator !== ops.constructPath || args?.[0] === ops.endPath) continue;
    for (const [[x1, y1], [x2, y2]] of segments(numbersIn(numbersIn(args?.[1])[0]))) {
      const [a, b] = [placed(matrix, x1, y1), placed(matrix, x2, y2)];
      const rule = boxAround(a, b);
      const [width, height] = [rule.right - rule.left, rule.top - rule.bottom];
      if (width <= SLANT_MAX && height >= LENGTH_MIN) vertical.push(rule);
      else if (height <= SLANT_MAX && width >= LENGTH_MIN) horizontal.push(rule);
      if (vertical.length + horizontal.length > RULES_MAX) return NO_RULES;
    }
  }
  return { vertical, horizontal };
}

/** Turns rules as text of that direction is turned. */
export function turnedRules(rules: Rules, turns: QuarterTurns): Rules {
  if (turns === 0) return rules;
  const turn = ({ left, right, bottom, top }: Rule): Rule =>
    boxAround(turned(left, bottom, turns), turned(right, top, turns));
  const [vertical, horizontal] = [rules.vertical.map(turn), rules.horizontal.map(turn)];
  return turns === 2 ? { vertical, horizontal } : { vertical: horizontal, horizontal: vertical };
}

type Point = readonly [x: number, y: number];

function* segments(path: readonly unknown[]): Generator<readonly [Point, Point]> {
  let start: Point = [0, 0];
  let from: Point = start;
  for (let at = 0; at < path.length; ) {
    const step = Number(path[at]);
    const count = STEP_NUMBERS[step];
    if (count === undefined) return;
    const to: Point = step === CLOSE_STEP ? start : [Number(path[at + count - 1]), Number(path[at + count])];
    if (step === LINE_STEP || step === CLOSE_STEP) yield [from, to];
    if (step === 0) start = to;
    from = to;
    at += count + 1;
  }
}

function boxAround([x1, y1]: Point, [x2, y2]: Point): Rule {
  return {
    left: Math.min(x1, x2),
    right: Math.max(x1, x2),
    bottom: Math.min(y1, y2),
    top: Math.max(y1, y2),
  };
}
