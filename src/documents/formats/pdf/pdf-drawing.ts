// Follows the drawing operators of a PDF page, with the transformation under which each draws.

/** The numbers of the operators that change the transformation. */
export interface StateOperators {
  readonly save: number;
  readonly restore: number;
  readonly transform: number;
  readonly paintFormXObjectBegin: number;
  readonly paintFormXObjectEnd: number;
}

export interface OperatorList {
  readonly fnArray: readonly number[];
  readonly argsArray: readonly (readonly unknown[] | null)[];
}

export type Matrix = readonly [number, number, number, number, number, number];

export interface DrawingStep {
  readonly operator: number;
  readonly args: readonly unknown[] | null | undefined;
  readonly matrix: Matrix;
}

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];
/** Limit on saved graphics states. Beyond it, drawings may get wrong positions, but none is lost. */
const SAVED_MAX = 1_000;

/** Yields the operators that draw, in order. */
export function* drawingSteps(
  { fnArray, argsArray }: OperatorList,
  ops: StateOperators,
): Generator<DrawingStep> {
  const saved: Matrix[] = [];
  let current = IDENTITY;
  const save = (): void => {
    if (saved.length < SAVED_MAX) saved.push(current);
  };
  for (const [at, operator] of fnArray.entries()) {
    const args = argsArray[at];
    if (operator === ops.save) save();
    else if (operator === ops.restore || operator === ops.paintFormXObjectEnd)
      current = saved.pop() ?? current;
    else if (operator === ops.transform) current = times(current, matrixOf(args));
    else if (operator === ops.paintFormXObjectBegin) {
      save();
      current = times(current, matrixOf(args?.[0]));
    } else yield { operator, args, matrix: current };
  }
}

/** The place of a point on the page. */
export function placed([a, b, c, d, e, f]: Matrix, x: number, y: number): readonly [x: number, y: number] {
  return [a * x + c * y + e, b * x + d * y + f];
}

/** The numbers of a list or of a typed array, which the reader hands out as well. */
export function numbersIn(value: unknown): readonly unknown[] {
  return isList(value) ? Array.from(value) : [];
}

/** Reads a matrix; anything but six numbers counts as the identity. */
function matrixOf(value: unknown): Matrix {
  const numbers = numbersIn(value);
  return isMatrix(numbers) ? numbers : IDENTITY;
}

function isList(value: unknown): value is ArrayLike<unknown> {
  return typeof value === 'object' && value !== null && 'length' in value;
}

function isMatrix(numbers: readonly unknown[]): numbers is Matrix {
  return numbers.length === IDENTITY.length && numbers.every(Number.isFinite);
}

function times([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix {
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}
