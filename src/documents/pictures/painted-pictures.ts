// Finds the pictures that a PDF page paints, and their positions, by following its drawing operators.
import { PICTURE_SIDE_POINTS_MIN } from './picture-model.ts';

/** The numbers of the operators that affect pictures. */
export interface PaintOperators {
  readonly save: number;
  readonly restore: number;
  readonly transform: number;
  readonly paintFormXObjectBegin: number;
  readonly paintFormXObjectEnd: number;
  readonly paintImageXObject: number;
  readonly paintInlineImageXObject: number;
}

export interface OperatorList {
  readonly fnArray: readonly number[];
  readonly argsArray: readonly (readonly unknown[] | null)[];
}

/** A rectangle on the page, in points from its lower left corner. */
export interface Box {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
}

export interface PaintedPicture {
  readonly box: Box;
  /** The name under which the reader provides the picture, or the picture itself. */
  readonly source: unknown;
}

type Matrix = readonly [number, number, number, number, number, number];
const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];
/** Limit on saved graphics states. Beyond it, pictures may get wrong positions, but none is lost. */
const SAVED_MAX = 1_000;

/** Returns pictures in the order in which they are painted, without those too small to be informative. */
export function paintedPictures({ fnArray, argsArray }: OperatorList, ops: PaintOperators): PaintedPicture[] {
  const pictures: PaintedPicture[] = [];
  const saved: Matrix[] = [];
  let current = IDENTITY;
  const save = (): void => {
    if (saved.length < SAVED_MAX) saved.push(current);
  };
  const restore = (): void => {
    current = saved.pop() ?? current;
  };
  for (const [at, operator] of fnArray.entries()) {
    const args = argsArray[at];
    if (operator === ops.save) save();
    else if (operator === ops.restore || operator === ops.paintFormXObjectEnd) restore();
    else if (operator === ops.transform) current = times(current, matrixOf(args));
    else if (operator === ops.paintFormXObjectBegin) {
      save();
      current = times(current, matrixOf(args?.[0]));
    } else if (operator === ops.paintImageXObject || operator === ops.paintInlineImageXObject) {
      const source = args?.[0];
      const box = boxOf(current);
      if (source !== undefined && isLarge(box)) pictures.push({ box, source });
    }
  }
  return pictures;
}

/** Reads a matrix; anything but six numbers counts as the identity. */
function matrixOf(value: unknown): Matrix {
  const numbers = isList(value) ? Array.from(value) : [];
  return isMatrix(numbers) ? numbers : IDENTITY;
}

/** The reader hands out typed arrays as well. */
function isList(value: unknown): value is ArrayLike<unknown> {
  return typeof value === 'object' && value !== null && 'length' in value;
}

function isMatrix(numbers: readonly unknown[]): numbers is Matrix {
  return numbers.length === IDENTITY.length && numbers.every(Number.isFinite);
}

function times([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix {
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

/** The bounding box of the transformed unit square, into which pictures are painted. */
function boxOf([a, b, c, d, e, f]: Matrix): Box {
  const xs = [e, e + a, e + c, e + a + c];
  const ys = [f, f + b, f + d, f + b + d];
  return { left: Math.min(...xs), bottom: Math.min(...ys), right: Math.max(...xs), top: Math.max(...ys) };
}

function isLarge({ left, bottom, right, top }: Box): boolean {
  return right - left >= PICTURE_SIDE_POINTS_MIN && top - bottom >= PICTURE_SIDE_POINTS_MIN;
}
