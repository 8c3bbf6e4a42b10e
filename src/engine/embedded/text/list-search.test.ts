// Searches of posting lists find, score and order what a naive model does, in both builds of the kernel, while lists grow.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isSupported } from '../kernels/kernel.ts';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { BUILDS } from '../kernels/testing/kernel-fixture.ts';
import { TEXT_PAGE_SHIFT } from '../kernels/text-lists-constants.ts';
import { effort } from '../testing/effort.ts';
import type { ListClause, ListPlan } from './list-plan.ts';
import { ModelledLists, type Occurrences, randomRecord, TERMS } from './testing/modelled-lists.ts';

const SLOTS = effort({ daily: 6_000, long: 60_000 });
const QUERIES = effort({ daily: 40, long: 300 });
/** Two pages of bitmaps, and some slots more. */
const PAGED_SLOTS = 2 * 2 ** TEXT_PAGE_SHIFT + 3_000;
const SLOTS_MAX = Math.max(SLOTS, PAGED_SLOTS);
const PAGED_QUERIES = effort({ daily: 6, long: 300 });
/** A term that is frequent enough for a bitmap in the second page alone. */
const LATE_TERM = 2;
const LONG_TEXTS = effort({ daily: 500, long: 5_000 });
/** The most frequent of the words has more positions than the kernel compares at once. */
const LONG_WORDS = 4_000;
const LONG_TERMS = 6;
/** Words of a part of a text, about. */
const LONG_PART = 100;
const LONG_QUERIES = effort({ daily: 30, long: 300 });

function randomPlan(random: Random): ListPlan {
  const term = () => Math.floor(TERMS * random.uniform() ** 2);
  const clause = (kind: ListClause['kind'], terms: number): ListClause => ({
    kind,
    terms: Array.from({ length: terms }, (_, offset) => ({ term: term(), offset })),
    weight: 0.1 + 5 * random.uniform(),
    factor: random.integer(4) === 0 ? random.integer(3) / 2 : 1,
  });
  const some = (kind: ListClause['kind'], count: number, termsMax: number) =>
    Array.from({ length: count }, () => clause(kind, 1 + random.integer(termsMax)));
  if (random.integer(2) === 0) return { kind: 'union', clauses: some('should', 1 + random.integer(5), 1) };
  return {
    kind: 'conjunction',
    clauses: [
      ...some('must', 1 + random.integer(3), 3),
      ...some('should', random.integer(2), 2),
      ...some('not', random.integer(2), 2),
    ],
  };
}

/** Two or three terms, or a phrase, most of them frequent; some with what is optional or excluded. */
function frequentPlan(random: Random): ListPlan {
  const frequent = () => (random.integer(5) === 0 ? random.integer(TERMS) : random.integer(LATE_TERM + 2));
  const clause = (kind: ListClause['kind'], terms: number): ListClause => ({
    ...{ kind, weight: 0.1 + 5 * random.uniform(), factor: 1 },
    terms: Array.from({ length: terms }, (_, offset) => ({ term: frequent(), offset })),
  });
  const must = Array.from({ length: 2 + random.integer(2) }, () => clause('must', 1));
  const other: ListClause['kind'] = random.integer(2) === 0 ? 'should' : 'not';
  return {
    kind: 'conjunction',
    clauses: [
      ...(random.integer(3) === 0 ? [clause('must', 2 + random.integer(2))] : must),
      ...(random.integer(3) === 0 ? [clause(other, 1)] : []),
    ],
  };
}

/** Words of a long text, of few kinds: in each of its parts two of these, so that a term may end long before another. */
function longRecord(random: Random): Occurrences {
  const record = new Map<number, number[]>();
  const length = LONG_WORDS * random.uniform() ** 3;
  const gapMax = random.integer(2) * random.integer(40);
  let terms = [0, 1];
  for (let position = 0; position < length; position += 1 + random.integer(1 + gapMax)) {
    if (random.integer(LONG_PART) === 0) terms = terms.map(() => random.integer(LONG_TERMS));
    const term = terms[random.integer(2)] ?? 0;
    const positions = record.get(term) ?? [];
    record.set(term, positions);
    positions.push(position);
  }
  return record;
}

const CASES = BUILDS.filter(isSupported).flatMap((build) =>
  [true, false].map((hasDead) => ({ build, hasDead })),
);
for (const { build, hasDead } of CASES)
  it(`finds what a naive model finds in the ${build} build, ${hasDead ? 'with' : 'without'} dead slots`, () => {
    const random = new Random(11);
    const lists = new ModelledLists(random, { hasDead, slotsMax: SLOTS_MAX });
    for (let query = 0; query < QUERIES; query++) {
      const until = Math.ceil((SLOTS * (query + 1)) / QUERIES);
      while (lists.records.length < until) lists.append();
      lists.publish();
      const plan = randomPlan(random);
      const k = [1, 10, 100][random.integer(3)] ?? 10;
      assert.deepEqual(
        lists.search(plan, { build, k }),
        lists.expected(plan, k),
        JSON.stringify({ query, k, plan }),
      );
      const matching = lists.expected(plan, Number.POSITIVE_INFINITY).length;
      for (const counted of lists.counted(plan, { build, k })) assert.equal(counted, matching);
      const { found, expected } = lists.lookedUp(build);
      assert.deepEqual(found, expected);
    }
  });

// A model of so many slots is slow: each build has one case.
for (const { build, hasDead } of CASES.filter((each) => each.hasDead === (each.build === 'plain')))
  it(`finds by bitmaps what a naive model finds in the ${build} build, ${hasDead ? 'with' : 'without'} dead slots`, () => {
    const random = new Random(31);
    const lists = new ModelledLists(random, { hasDead, slotsMax: SLOTS_MAX });
    while (lists.records.length < PAGED_SLOTS) {
      const record = new Map(randomRecord(random));
      if (lists.records.length < 2 ** TEXT_PAGE_SHIFT && random.integer(20) > 0) record.delete(LATE_TERM);
      lists.append(record);
    }
    lists.publish();
    for (let query = 0; query < PAGED_QUERIES; query++) {
      const plan = frequentPlan(random);
      const k = [1, 10, 100][random.integer(3)] ?? 10;
      const message = JSON.stringify({ query, k, plan });
      const expected = lists.expected(plan, Number.POSITIVE_INFINITY);
      assert.deepEqual(lists.search(plan, { build, k }), expected.slice(0, k), message);
      for (const counted of lists.counted(plan, { build, k }))
        assert.equal(counted, expected.length, message);
    }
  });

for (const build of BUILDS.filter(isSupported))
  it(`counts phrases in long texts as a naive model does in the ${build} build`, () => {
    const random = new Random(23);
    const lists = new ModelledLists(random, { hasDead: false, slotsMax: SLOTS_MAX });
    for (let text = 0; text < LONG_TEXTS; text++) lists.append(longRecord(random));
    lists.publish();
    for (let query = 0; query < LONG_QUERIES; query++) {
      const terms = Array.from({ length: 2 + random.integer(3) }, (_, offset) => ({
        term: random.integer(LONG_TERMS),
        offset: offset + random.integer(2),
      }));
      const kind = query % 3 === 0 ? 'should' : 'must';
      const plan: ListPlan = {
        kind: 'conjunction',
        clauses: [
          { kind: 'must', terms: [{ term: random.integer(2), offset: 0 }], weight: 0.1, factor: 1 },
          { kind, terms, weight: 1, factor: 1 },
        ],
      };
      assert.deepEqual(
        lists.search(plan, { build, k: 100 }),
        lists.expected(plan, 100),
        JSON.stringify({ query, plan }),
      );
      const matching = lists.expected(plan, Number.POSITIVE_INFINITY).length;
      for (const counted of lists.counted(plan, { build, k: 100 })) assert.equal(counted, matching);
    }
  });
