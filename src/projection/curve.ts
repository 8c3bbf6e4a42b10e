// The curve by which points of a layout pull and push each other, as tables: powers would take twice as long.

/** 1 / (1 + A * distance^(2 * B)), as UMAP fits it to a spread of 1 and a least distance of 0.1. */
const A = 1.577;
const B = 0.8951;
/** Keeps the push of points at one place finite. */
const DISTANCE_MIN = 1e-3;

/** A step of a table is a range of squared distances whose floating-point numbers share these leading bits: 1.6 % wide. */
const SHIFT = 17;
const OCTAVE_STEPS = 2 ** (23 - SHIFT);
const FIRST_EXPONENT = -40;
const LAST_EXPONENT = 40;
const EXPONENT_BIAS = 127;
const FIRST = (FIRST_EXPONENT + EXPONENT_BIAS) * OCTAVE_STEPS;
const STEPS = (LAST_EXPONENT - FIRST_EXPONENT) * OCTAVE_STEPS;

const number = new Float32Array(1);
const bits = new Uint32Array(number.buffer);

/** The step of a squared distance; the first and the last stand for all below and above. */
export function stepOf(squared: number): number {
  number[0] = squared;
  const step = ((bits[0] ?? 0) >>> SHIFT) - FIRST;
  return step < 0 ? 0 : step >= STEPS ? STEPS - 1 : step;
}

/** Factors on the difference of two neighbors. */
export const PULLS = table((squared) => (-2 * A * B * squared ** (B - 1)) / (1 + A * squared ** B));

/** Factors on the difference of two points that are no neighbors. */
export const PUSHES = table((squared) => (2 * B) / ((DISTANCE_MIN + squared) * (1 + A * squared ** B)));

function table(factor: (squared: number) => number): Float64Array {
  return Float64Array.from({ length: STEPS }, (_, step) => {
    bits[0] = (step + FIRST + 0.5) * 2 ** SHIFT;
    return factor(number[0] ?? 0);
  });
}
