// Compares designs of one bit a component on real data: in how many of the nearest by estimate the true ten best are,
// and how far estimates of rows around a result err by what the codes are relative to (npm run bench:estimates).
import '../../src/boot/runtime-flags.ts';
import { parseArgs } from 'node:util';
import { Random } from '../../src/engine/embedded/kernels/testing/hard-vectors.ts';
import { machine } from '../support/figures.ts';
import { dotOf } from './dot.ts';
import { openSet } from './sets.ts';

const RESULTS = 10;
const DEPTHS = [20, 50, 100, 200, 400];
const SEED = 7;
/** Rows nearest to a result, in place of its edges in a graph. */
const NEIGHBORS = 32;

const { values } = parseArgs({
  options: {
    set: { type: 'string', default: 'packages' },
    records: { type: 'string', default: '20000' },
    queries: { type: 'string', default: '100' },
  },
});

type Estimate = (query: Float32Array) => Float64Array;

/** A row relative to the center: its signs, and what turns a product with them into one with the row. */
interface Code {
  readonly signs: Int8Array;
  readonly factor: number;
  readonly norm: number;
}

function unit(row: Float32Array): Float32Array {
  const norm = Math.sqrt(dotOf(row, row)) || 1;
  return row.map((value) => value / norm);
}

function meanOf(rows: readonly Float32Array[]): Float32Array {
  const mean = new Float32Array(rows[0]?.length ?? 0);
  for (const row of rows)
    for (let at = 0; at < mean.length; at++) mean[at] = (mean[at] ?? 0) + (row[at] ?? 0) / rows.length;
  return mean;
}

function less(row: Float32Array, center: Float32Array): Float32Array {
  return row.map((value, at) => value - (center[at] ?? 0));
}

function codeOf(row: Float32Array): Code {
  const norm = Math.sqrt(dotOf(row, row));
  const magnitude = row.reduce((sum, value) => sum + Math.abs(value), 0);
  return {
    signs: Int8Array.from(row, (value) => (value < 0 ? -1 : 1)),
    factor: norm ** 2 / (magnitude || 1),
    norm,
  };
}

function productOf(query: Float32Array, signs: Int8Array): number {
  let sum = 0;
  for (let at = 0; at < query.length; at++) sum += (query[at] ?? 0) * (signs[at] ?? 0);
  return sum;
}

/** The query in so many bits a component, as the kernel has it. */
function inBits(query: Float32Array, bits: number): Float32Array {
  const least = Math.min(...query);
  const step = (Math.max(...query) - least) / (2 ** bits - 1) || 1;
  return query.map((value) => least + step * Math.round((value - least) / step));
}

/** Estimated products by the row's bits and a query of so many bits: minus the squared distance, but for a constant. */
function byQueryBits(codes: readonly Code[], center: Float32Array, bits: number): Estimate {
  return (query) => {
    const seen = inBits(less(query, center), bits);
    return Float64Array.from(
      codes,
      ({ signs, factor, norm }) => 2 * factor * productOf(seen, signs) - norm ** 2,
    );
  };
}

/** By the share of signs that differ, which gives the angle; a cubic is close enough to its cosine. */
function bySigns(codes: readonly Code[], center: Float32Array): Estimate {
  return (query) => {
    const seen = less(query, center);
    const { signs: own, norm: length } = codeOf(seen);
    const asFloats = Float32Array.from(own);
    return Float64Array.from(codes, ({ signs, norm }) => {
      const turn = productOf(asFloats, signs) / own.length;
      return turn * (3 - turn * turn) * norm * length - norm ** 2;
    });
  };
}

/** A random rotation: an orthonormal basis by Gram and Schmidt. */
function rotation(dimension: number): (row: Float32Array) => Float32Array {
  const random = new Random(SEED);
  const basis: Float32Array[] = [];
  while (basis.length < dimension) {
    const next = Float32Array.from({ length: dimension }, () => random.normal());
    for (const each of basis) {
      const part = dotOf(next, each);
      for (let at = 0; at < dimension; at++) next[at] = (next[at] ?? 0) - part * (each[at] ?? 0);
    }
    basis.push(unit(next));
  }
  return (row) => Float32Array.from(basis, (each) => dotOf(row, each));
}

/** Positions of the largest values, largest first. */
function largest(scores: Float64Array, count: number): readonly number[] {
  return [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0)).slice(0, count);
}

/** The standard deviation of estimated products from true ones, of rows around the nearest row of each query. */
function errorsAround(queries: readonly Float32Array[], relativeTo: (nearest: Float32Array) => Float32Array) {
  const [errors, lengths]: [number[], number[]] = [[], []];
  for (const query of queries) {
    const [best = 0] = nearestTo(query, 1);
    const nearest = rows[best] ?? query;
    const origin = relativeTo(nearest);
    const seen = less(query, origin);
    for (const position of nearestTo(nearest, NEIGHBORS + 1).slice(1)) {
      const row = less(rows[position] ?? query, origin);
      const { signs, factor, norm } = codeOf(row);
      errors.push(factor * productOf(seen, signs) - dotOf(seen, row));
      lengths.push(norm);
    }
  }
  return { error: Math.sqrt(meanOfAll(errors.map((error) => error ** 2))), length: meanOfAll(lengths) };
}

function meanOfAll(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
}

function nearestTo(query: Float32Array, count: number): readonly number[] {
  return largest(
    Float64Array.from(rows, (row) => dotOf(row, query)),
    count,
  );
}

const set = await openSet(values.set, { records: Number(values.records), queries: Number(values.queries) });
const rows = set.base.map(unit);
const center = meanOf(rows);
const rotate = rotation(set.dimension);
const codes = rows.map((row) => codeOf(less(row, center)));
const rotated = rows.map((row) => codeOf(rotate(less(row, center))));
const none = new Float32Array(set.dimension);
const designs: readonly (readonly [string, Estimate])[] = [
  ['signs of both sides', bySigns(codes, center)],
  ['query of 4 bits', byQueryBits(codes, center, 4)],
  ['query of 6 bits', byQueryBits(codes, center, 6)],
  ['query of 6 bits, rotated', (query) => byQueryBits(rotated, none, 6)(rotate(less(query, center)))],
  ['query of 6 bits, no center', byQueryBits(rows.map(codeOf), none, 6)],
];
process.stdout.write(
  `${machine()}\n${set.name}, ${rows.length} x ${set.dimension}, ${values.queries} queries of each kind\n\n` +
    `| design | kind | ${DEPTHS.join(' | ')} |\n|---|---|${'---|'.repeat(DEPTHS.length)}\n`,
);
for (const [kind, given] of set.kinds) {
  const queries = given.map(unit);
  const truths = queries.map((query) => nearestTo(query, RESULTS));
  for (const [name, estimate] of designs) {
    const found = DEPTHS.map(() => 0);
    for (const [at, query] of queries.entries()) {
      const order = largest(estimate(query), DEPTHS.at(-1) ?? 0);
      for (const [i, depth] of DEPTHS.entries()) {
        const near = new Set(order.slice(0, depth));
        found[i] = (found[i] ?? 0) + (truths[at] ?? []).filter((position) => near.has(position)).length;
      }
    }
    const cells = found.map((count) => (count / RESULTS / queries.length).toFixed(3));
    process.stdout.write(`| ${name} | ${kind} | ${cells.join(' | ')} |\n`);
  }
}
process.stdout.write(
  `\n| codes relative to | kind | mean length of a row from there | error of a product | first less tenth result |\n|---|---|---|---|---|\n`,
);
for (const [kind, given] of set.kinds) {
  const queries = given.map(unit);
  const gaps = queries.map((query) => {
    const products = nearestTo(query, RESULTS).map((position) => dotOf(query, rows[position] ?? query));
    return (products[0] ?? 0) - (products.at(-1) ?? 0);
  });
  for (const [name, relativeTo] of [
    ['the center', () => center],
    ['the nearest row itself', (nearest: Float32Array) => nearest],
  ] as const) {
    const { error, length } = errorsAround(queries, relativeTo);
    const cells = [length, error, meanOfAll(gaps)].map((each) => each.toFixed(3));
    process.stdout.write(`| ${name} | ${kind} | ${cells.join(' | ')} |\n`);
  }
}
