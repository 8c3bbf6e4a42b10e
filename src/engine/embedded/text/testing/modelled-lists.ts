// Random records in posting lists that grow, with their ids, and a naive model of what is found in them; for tests.
import assert from 'node:assert/strict';
import { QuerySteps } from '../../../../domain/full-text/query-steps.ts';
import { saturation } from '../../../../domain/full-text/scoring/bm25.ts';
import { countPhrases } from '../../../../domain/full-text/scoring/phrase-matches.ts';
import { loadKernel } from '../../kernels/kernel.ts';
import type { Random } from '../../kernels/testing/hard-vectors.ts';
import type { BUILDS } from '../../kernels/testing/kernel-fixture.ts';
import { TEXT_NO_ID } from '../../kernels/text-lists-constants.ts';
import { FieldLengths } from '../field-lengths.ts';
import { BLOCK_BYTES, FRAME_BYTES, type TextMemory } from '../layout.ts';
import { ListCounter } from '../list-counter.ts';
import { type ListSearchSize, layOutListSearch } from '../list-layout.ts';
import type { ListClause, ListPlan } from '../list-plan.ts';
import { ListSearch } from '../list-search.ts';
import { ListWriter } from '../list-writer.ts';
import { RecordScorer, type RecordScorerOptions } from '../record-scorer.ts';
import { TextReader } from '../text-reader.ts';
import { arenaMemory, newArena } from './arena-memory.ts';

/** Terms of random records. */
export const TERMS = 40;
const LOOKUPS = 60;
/** Fewer than terms, so that some are opened again. */
const LOOKUP_CURSORS = 5;
const SLOTS_PER_BLOCK = BLOCK_BYTES / 8;
const SCRATCH = { terms: 32, capacity: 100, tableBytes: FRAME_BYTES };
const ID_BYTES = 16;
/** Ids that share more than the kernel compares at once. */
const LONG_ID = 'article-';
/** Positions of a posting that no tail takes. */
const MANY = 3_000;

/** Positions by term. */
export type Occurrences = ReadonlyMap<number, readonly number[]>;

export interface Match {
  readonly slot: number;
  readonly score: number;
}

export interface ModelledListsOptions {
  /** Whether some slots must not be found. */
  readonly hasDead: boolean;
  /** Records that will be appended, at most. */
  readonly slotsMax: number;
}

/** Random records in posting lists, with their ids, and as a model. */
export class ModelledLists {
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
  readonly #scratchSize: ListSearchSize;
  readonly #scratch: number;

  constructor(random: Random, { hasDead, slotsMax }: ModelledListsOptions) {
    const { arena } = this;
    this.#random = random;
    this.#hasDead = hasDead;
    this.#memory = arenaMemory(arena);
    this.#writer = new ListWriter(this.#memory);
    this.#lengths = new FieldLengths(this.#memory);
    this.#scratchSize = { ...SCRATCH, slots: slotsMax };
    this.#scratch = arena.grow(1 + Math.ceil(layOutListSearch(0, this.#scratchSize).end / FRAME_BYTES)) ?? 0;
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
    const layout = layOutListSearch(this.#scratch + FRAME_BYTES, this.#scratchSize);
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
export function randomRecord(random: Random): Occurrences {
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
