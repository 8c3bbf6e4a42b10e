// Fast generation of values that do not compress: the tests of large copies need millions.

/** Floats of 0.5 to 1 with random fractions (Marsaglia, "Xorshift RNGs", 2003). @param seed not 0 */
export function incompressibleValues(length: number, seed: number): Float32Array<ArrayBuffer> {
  const bits = new Uint32Array(length);
  let state = seed;
  for (let i = 0; i < length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bits[i] = 0x3f00_0000 | (state >>> 9);
  }
  return new Float32Array(bits.buffer);
}
