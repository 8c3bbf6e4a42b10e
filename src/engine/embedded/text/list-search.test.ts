// Searches of posting lists find, score and order what a naive model does, in both builds of the kernel, while lists grow.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { QuerySteps } from '../../../domain/full-text/query-steps.ts';
import { saturation } from '../../../domain/full-text/scoring/bm25.ts';
import { countPhrases } from '../../../domain/full-text/scoring/phrase-matches.ts';
import { isSupported, loadKernel } from '../kernels/kernel.ts';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { BUILDS } from '../kernels/testing/kernel-fixture.ts';
import { TEXT_NO_ID, TEXT_PAGE_SHIFT } from '../kernels/text-lists-constants.ts';
import { effort } from '../testing/effort.ts';
import { FieldLengths } from './field-lengths.ts';
import { BLOCK_BYTES, FRAME_BYTES, type TextMemory } from './layout.ts';
import { ListCounter } from './list-counter.ts';
import { layOutListSearch } from './list-layout.ts';
import type { ListClause, ListPlan } from './list-plan.ts';
import { ListSearch } from './list-search.ts';
import { ListWriter } from './list-writer.ts';
import { RecordScorer, type RecordScorerOptions } from './record-scorer.ts';
import { arenaMemory, newArena } from './testing/arena-memory.ts';
import { TextReader } from './text-reader.ts';

const SLOTS = effort({ daily: 6_000, long: 60_000 });
const QUERIES = effort({ daily: 40, long: 300 });
const TERMS = 40;
const LOOKUPS = 60;
/** Fewer than terms, so that some are opened again. */
const LOOKUP_CURSORS = 5;
const SLOTS_PER_BLOCK = BLOCK_BYTES / 8;
/** Two pages of bitmaps, and some slots more. */
const PAGED_SLOTS = 2 * 2 ** TEXT_PAGE_SHIFT + 3_000;
const PAGED_QUERIES = effort({ daily: 6, long: 300 });
/** A term that is frequent enough for a bitmap in the second page alone. */
const LATE_TERM = 2;
const SCRATCH = { terms: 32, capacity: 100, slots: Math.max(SLOTS, PAGED_SLOTS), tableBytes: FRAME_BYTES };
const ID_BYTES = 16;
/** Ids that share more than the kernel compares at once. */
const LONG_ID = 'article-';
/** Positions of a posting that no tail takes. */
const MANY = 3_000;
const LONG_TEXTS = effort({ daily: 500, long: 5_000 });
/** The most frequent of the words has more positions than the kernel compares at once. */
const LONG_WORDS = 4_000;
const LONG_TERMS = 6;
/** Words of a part of a text, about. */
const LONG_PART = 100;
const LONG_QUERIES = effort({ daily: 30, long: 300 });

/** Positions by term. */
type Occurrences = ReadonlyMap<number, readonly number[]>;

interface Match {
  readonly slot: number;
  readonly score: number;
}

/** Random records in posting lists, with their ids, and as a model. */
class Lists {
  readonly records: Occurrences[] = [];
  readonly ids: (string | null)[] = [];
  readonly isLive: boolean[] = [];
  readonly arena = newArena();
  readonly idTables = { slotBlocks: [] as number[], idBlocks: [] as number[] };
  readonly #memory: TextMemory;
  readonly #writer: ListWriter;
  readonly #lengths: FieldLengths;
  readonly #random: Random;
  readonly #hasDead: boolean;
  readonly #lengthOf: number[] = [];
  readonly #scratch: number;

  /** @param hasDead whether some slots must not be found */
  constructor(random: Random, hasDead: boolean) {
    const { arena } = this;
    this.#random = random;
    this.#hasDead = hasDead;
    this.#memory = arenaMemory(arena);
    this.#writer = new ListWriter(this.#memory);
    this.#lengths = new FieldLengths(this.#memory);
    this.#scratch = arena.grow(1 + Math.ceil(layOutListSearch(0, SCRATCH).end / FRAME_BYTES)) ?? 0;
  }

  append(record = randomRecord(this.#random)): void {
    const slot = this.records.length;
    const length = [...record.values()].reduce((sum, positions) => sum + positions.length, 0);
    this.records.push(record);
    this.#lengthOf.push(length);
    this.isLive.push(!this.#hasDead || this.#random.integer(10) > 0);
    this.#addId(slot);
    if (length === 0) return;
    this.#lengths.set(slot, length);
    for (const [term, [first = 0, ...more]] of record)
      this.#writer.add(term, slot, {
        posting: { occurrences: 1 + more.length, first, more },
        lengths: this.#lengths,
      });
  }

  publish(): void {
    this.#writer.publish();
  }

  search(
    plan: ListPlan,
    options: { readonly build: (typeof BUILDS)[number]; readonly k: number },
  ): readonly Match[] {
    const found: Match[] = [];
    this.#open(options.build).lists.search(plan, {
      capacity: options.k,
      bound: Number.NEGATIVE_INFINITY,
      offer: (score, slot) => found.push({ slot, score }),
    });
    return this.#sorted(found).slice(0, options.k);
  }

  /** How many slots match: as a search that finds the best counts them, and as they are counted alone. */
  counted(
    plan: ListPlan,
    { build, k }: { readonly build: (typeof BUILDS)[number]; readonly k: number },
  ): readonly number[] {
    const { lists } = this.#open(build);
    const alone = lists.count(plan);
    if (plan.kind === 'union') return [alone];
    const found: Match[] = [];
    const offer = (score: number, slot: number) => found.push({ slot, score });
    lists.search(plan, { capacity: k, bound: Number.NEGATIVE_INFINITY, offer }, true);
    assert.deepEqual(this.#sorted(found).slice(0, k), this.expected(plan, k));
    return [alone, lists.matched];
  }

  /** How often slots have terms, at which positions, and how many live slots have each term: as it is found, and as it is. */
  lookedUp(build: (typeof BUILDS)[number]): { readonly found: unknown; readonly expected: unknown } {
    const options = this.#open(build);
    const scorer = new RecordScorer(options);
    const slots = Array.from({ length: LOOKUPS }, () => this.#random.integer(this.records.length));
    const found = slots.map((slot) => {
      const term = commonTerm(this.#random);
      scorer.scoreOf(slot, { kind: 'all' });
      return { slot, term, count: scorer.occurrences(term), positions: scorer.positions(term) };
    });
    const expected = found.map(({ slot, term }) => {
      const positions = this.records[slot]?.get(term) ?? [];
      return { slot, term, count: positions.length, positions };
    });
    const live = new Uint32Array(Math.ceil(this.records.length / 32));
    this.#mark(live);
    const counter = new ListCounter(this.#memory, this.#writer.frames, live);
    const terms = Array.from({ length: TERMS }, (_, term) => term);
    const holders = (term: number) =>
      this.records.filter((record, slot) => this.isLive[slot] && record.has(term)).length;
    return {
      found: [found, terms.map((term) => counter.count(this.#writer.headAddress(term)))],
      expected: [expected, terms.map(holders)],
    };
  }

  #open(build: (typeof BUILDS)[number]): RecordScorerOptions {
    const { arena } = this;
    const reader = new TextReader(this.#memory, {
      seed: 1,
      structure: [
        ...this.#writer.snapshot(),
        { kind: 'lengths', field: 0, first: 0, addresses: this.#lengths.blocks },
      ],
    });
    const slotCount = this.records.length;
    const layout = layOutListSearch(this.#scratch + FRAME_BYTES, SCRATCH);
    this.#mark(new Uint32Array(arena.bufferOf(layout.end), this.#scratch, Math.ceil(slotCount / 32)));
    const termOf = (number: number) => ({
      number,
      list: reader.listOf(number),
      field: 0,
      statistics: this.#statistics,
    });
    const steps = new QuerySteps();
    const lists = new ListSearch({
      ...{ reader, kernel: loadKernel(arena.memory, build), layout },
      ...{ selected: { bitmapAddress: this.#hasDead ? this.#scratch : 0 }, slotCount },
      ...{ termOf, steps, ids: this.idTables },
    });
    return { reader, lists, lookups: LOOKUP_CURSORS, termOf, steps };
  }

  #mark(bitmap: Uint32Array): void {
    for (const [slot, isLive] of this.isLive.entries())
      if (isLive) bitmap[slot >>> 5] = (bitmap[slot >>> 5] ?? 0) | (1 << (slot & 31));
  }

  /** What the search of a plan must find. */
  expected({ kind, clauses }: ListPlan, k: number): readonly Match[] {
    const found: Match[] = [];
    for (const [slot, record] of this.records.entries()) {
      const counts = clauses.map((clause) => occurrences(clause, record));
      const lacks = (part: ListClause['kind'], isThere: boolean) =>
        clauses.some((clause, i) => clause.kind === part && (counts[i] ?? 0) > 0 === isThere);
      if (!this.isLive[slot] || lacks('must', false) || lacks('not', true)) continue;
      if (kind === 'union' && counts.every((count) => count === 0)) continue;
      let score = 0;
      for (const [i, { weight, factor, kind: part }] of clauses.entries()) {
        const count = counts[i] ?? 0;
        if (count === 0 || part === 'not') continue;
        score += factor * (weight * saturation(count, this.#lengthOf[slot] ?? 0, this.#statistics));
      }
      found.push({ slot, score: Math.fround(score) });
    }
    return this.#sorted(found).slice(0, k);
  }

  get #statistics(): { readonly records: number; readonly tokens: number } {
    return { records: this.records.length, tokens: this.#lengthOf.reduce((sum, length) => sum + length, 0) };
  }

  /** Slots whose ids are not in memory tie with each other: here they come last, by number. */
  #sorted(matches: readonly Match[]): readonly Match[] {
    const id = ({ slot }: Match) => this.ids[slot] ?? `~${String(slot).padStart(9, '0')}`;
    return matches.toSorted((a, b) => b.score - a.score || (id(a) < id(b) ? -1 : 1));
  }

  #addId(slot: number): void {
    const { slotBlocks, idBlocks } = this.idTables;
    if (slot % SLOTS_PER_BLOCK === 0) slotBlocks.push(this.#memory.block());
    const at = (slot * ID_BYTES) % BLOCK_BYTES;
    if (at === 0) idBlocks.push(this.#memory.block());
    const number = this.#random.integer(0xffffff).toString(36);
    const long = this.#random.integer(2) === 0 ? `${LONG_ID}${number}` : number;
    const id = this.#random.integer(50) === 0 ? null : long;
    this.ids.push(id);
    const word = (slotBlocks.at(-1) ?? 0) / 4 + 2 * (slot % SLOTS_PER_BLOCK);
    this.arena.words(4 * (word + 2))[word + 1] =
      id === null ? TEXT_NO_ID : (idBlocks.length - 1) * BLOCK_BYTES + at;
    const address = (idBlocks.at(-1) ?? 0) + at;
    const bytes = this.arena.bytes(address + ID_BYTES);
    bytes[address] = id?.length ?? 0;
    bytes.write(id ?? '', address + 1, 'latin1');
  }
}

/** Term 0 is drawn most often, the last one hardly ever. */
function commonTerm(random: Random): number {
  return Math.floor(TERMS * random.uniform() ** 3);
}

/** Term 0 is in nearly all records, the last ones in few, so that blocks have all forms; some occur often. */
function randomRecord(random: Random): Occurrences {
  const record = new Map<number, number[]>();
  const length = random.integer(12);
  // Terms may share a position, and one be there twice, as n-grams of a word are.
  for (let i = 0, position = 0; i < length; i++, position += random.integer(6) === 0 ? 0 : 1) {
    const term = commonTerm(random);
    const positions = record.get(term) ?? [];
    record.set(term, positions);
    positions.push(position);
  }
  if (random.integer(1_000) === 0)
    record.set(
      TERMS - 1,
      Array.from({ length: MANY }, (_, i) => 3 * i),
    );
  return record;
}

function occurrences({ terms }: ListClause, record: Occurrences): number {
  const parts = terms.map(({ term, offset }) => ({ positions: record.get(term) ?? [], offset }));
  return terms.length === 1 ? (parts[0]?.positions.length ?? 0) : countPhrases(parts, 0);
}

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
    const lists = new Lists(random, hasDead);
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
    const lists = new Lists(random, hasDead);
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
    const lists = new Lists(random, false);
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
