// Finds the pictures that a PDF page paints, and their positions, by following its drawing operators.
import {
  drawingSteps,
  type Matrix,
  type OperatorList,
  type StateOperators,
} from '../formats/pdf/pdf-drawing.ts';
import { PICTURE_SIDE_POINTS_MIN } from './picture-model.ts';

/** The numbers of the operators that affect pictures. */
export interface PaintOperators extends StateOperators {
  readonly paintImageXObject: number;
  readonly paintInlineImageXObject: number;
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

/** Returns pictures in the order in which they are painted, without those too small to be informative. */
export function paintedPictures(list: OperatorList, ops: PaintOperators): PaintedPicture[] {
  const pictures: PaintedPicture[] = [];
  for (const { operator, args, matrix } of drawingSteps(list, ops)) {
    if (operator !== ops.paintImageXObject && operator !== ops.paintInlineImageXObject) continue;
    const source = args?.[0];
    const box = boxOf(matrix);
    if (source !== undefined && isLarge(box)) pictures.push({ box, source });
  }
  return pictures;
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
