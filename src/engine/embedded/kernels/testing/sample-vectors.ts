// Vectors of many shapes, easy and hard, for property tests of the kernel.
import type { Random } from './hard-vectors.ts';

type Component = (random: Random, at: number) => number;

const HALF_CODES: Component = (random, at) => (at === 0 ? 127 : random.integer(253) - 126 + 0.5);

/** A component of each shape, by name. */
const SHAPES = {
  normal: (random) => random.normal(),
  'all positive': (random) => random.uniform(),
  'heavy tail': (random) => random.normal() / (random.uniform() ** 2 + 1e-6),
  binary: (random) => random.integer(2),
  signs: (random) => random.integer(2) * 2 - 1,
  counts: (random) => Math.floor(1 / (random.uniform() + 0.01)) - 1,
  'one hot': (_, at) => (at === 0 ? 1 : 0),
  constant: () => 0.1,
  'halfway between codes': HALF_CODES,
  'halfway, rounded': (random, at) => HALF_CODES(random, at) * 0.1,
  'one large, many denormal': (random, at) => (at === 0 ? 1 : random.normal() * 1e-40),
  'all denormal': (random) => random.normal() * 1e-40,
  'large norm': (random) => random.normal() * 1e13,
  'beyond the codes, large': (random) => random.normal() * 1e30,
  'beyond the codes, small': (random) => random.normal() * 1e-15,
  'at the coded minimum': (random) => random.normal() * 1e-12,
  'smallest accepted': (random, at) => (at === 0 ? 1e-8 : random.normal() * 1e-9),
  zero: () => 0,
} as const satisfies Record<string, Component>;

export type Shape = keyof typeof SHAPES;

export const SHAPE_NAMES = Object.keys(SHAPES) as Shape[];

export function sampleVector(shape: Shape, dim: number, random: Random): Float32Array {
  const component: Component = SHAPES[shape];
  return Float32Array.from({ length: dim }, (_, at) => component(random, at));
}
