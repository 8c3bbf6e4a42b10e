// Guarantees of phrases: they occur where a model finds them that tries all positions, and take time in proportion to these.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Fault } from '../../faults.ts';
import { QuerySteps } from '../query-steps.ts';
import { countPhrases, PhraseMatches, type PhrasePart } from './phrase-matches.ts';

type Positions = readonly number[];

const ascending = (positions: Positions) => positions.toSorted((a, b) => a - b);
const partsOf = (lists: readonly Positions[]) => lists.map((positions) => ({ positions, offset: 0 }));

/** Positions of each occurrence less the offsets: drops the smallest foremost position until all are close enough. */
function naiveMatches(lists: readonly Positions[], slop: number): readonly Positions[] {
  let left = lists.map((list) => [...list]);
  const found: Positions[] = [];
  while (left.every((list) => list.length > 0)) {
    const heads = left.map(([head = 0]) => head);
    const low = Math.min(...heads);
    if (Math.max(...heads) - low > slop) {
      left[heads.indexOf(low)]?.shift();
      continue;
    }
    const [first = [], ...others] = left;
    const high = Math.max(...others.map(([head = 0]) => head));
    while (slop > 0 && (first[1] ?? Number.POSITIVE_INFINITY) <= high) first.shift();
    found.push(left.map(([head = 0]) => head));
    left = left.map((list) => list.slice(1));
  }
  return found;
}

function matchesOf(parts: readonly PhrasePart[], slop: number): readonly Positions[] {
  const matches = new PhraseMatches(parts, slop, new QuerySteps());
  const found: Positions[] = [];
  while (matches.next()) found.push(parts.map(({ offset }, part) => matches.positionOf(part) - offset));
  return found;
}

describe('phrases', () => {
  it('occur where a model finds them that passes over one position at a time', () => {
    const list = fc.array(fc.nat(24), { maxLength: 9 }).map(ascending);
    const part = fc.record({ list, offset: fc.nat(4) });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), fc.nat(6), (given, slop) => {
        const parts = given.map(({ list: positions, offset }) => ({
          positions: positions.map((position) => position + offset),
          offset,
        }));
        const expected = naiveMatches(
          given.map((each) => each.list),
          slop,
        );
        assert.deepEqual(matchesOf(parts, slop), expected);
      }),
      { seed: 5, numRuns: 4_000 },
    );
  });

  it('without slop occur where all positions agree', () => {
    const list = fc.uniqueArray(fc.nat(12), { maxLength: 8 }).map(ascending);
    fc.assert(
      fc.property(fc.array(list, { minLength: 2, maxLength: 4 }), (lists) => {
        const [first = [], ...others] = lists;
        const shared = first.filter((position) => others.every((other) => other.includes(position)));
        assert.equal(countPhrases(partsOf(lists), 0), shared.length);
      }),
      { seed: 6, numRuns: 2_000 },
    );
  });

  it('with slop occur exactly where some choice of positions lies close enough', () => {
    const list = fc.uniqueArray(fc.nat(15), { maxLength: 5 }).map(ascending);
    const choices = (lists: readonly Positions[]): readonly Positions[] =>
      lists.reduce<readonly Positions[]>(
        (chosen, each) => chosen.flatMap((before) => each.map((position) => [...before, position])),
        [[]],
      );
    fc.assert(
      fc.property(fc.array(list, { minLength: 2, maxLength: 4 }), fc.nat(5), (lists, slop) => {
        const isThere = choices(lists).some((each) => Math.max(...each) - Math.min(...each) <= slop);
        assert.equal(countPhrases(partsOf(lists), slop) > 0, isThere);
      }),
      { seed: 7, numRuns: 2_000 },
    );
  });

  it('take time in proportion to their positions', () => {
    const many = Array.from({ length: 100_000 }, (_, at) => at * 3);
    const parts = [many, many.map((position) => position + 1)];
    assert.equal(countPhrases(partsOf(parts), 1), many.length);
    assert.equal(countPhrases(partsOf(parts), 0), 0);
  });

  it('pass over positions far behind without a look at each', () => {
    const steps = new QuerySteps(100);
    const many = Array.from({ length: 1_000_000 }, (_, at) => at);
    assert.equal(countPhrases(partsOf([[999_998], many, many]), 0, steps), 1);
  });

  it('are refused when they take too many steps, however many words and positions they have', () => {
    const positions = Array.from({ length: 9_999 }, (_, at) => at);
    const parts = Array.from({ length: 5_000 }, (_, offset) => ({ positions, offset }));
    assert.throws(() => countPhrases(parts, 0, new QuerySteps()), Fault);
    assert.throws(() => countPhrases(parts, 9, new QuerySteps()), Fault);
    assert.ok(new PhraseMatches(parts, 0, new QuerySteps()).next(), 'the first is found soon');
  });
});
