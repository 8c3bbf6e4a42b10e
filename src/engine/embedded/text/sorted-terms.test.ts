// Sorted terms find exactly what a test of every term finds, for any automaton and prefix, while terms are added.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Automaton, accepts } from '../../../domain/full-text/automata/automaton.ts';
import { levenshteinAutomaton } from '../../../domain/full-text/automata/levenshtein.ts';
import { regexAutomaton } from '../../../domain/full-text/automata/regex.ts';
import { QuerySteps } from '../../../domain/full-text/query-steps.ts';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { Arena } from '../memory/arena.ts';
import { effort } from '../testing/effort.ts';
import { FRAME_BYTES, type TextMemory } from './layout.ts';
import { visitAccepted, visitPrefixed } from './matching-terms.ts';
import { SortedTerms } from './sorted-terms.ts';

const TERMS = effort({ daily: 30_000, long: 200_000 });
const FIELDS = 3;
/** Of one to four bytes in UTF-8. */
const LETTERS = ['a', 'b', 'c', 'd', 'é', 'ß', '字', '𝒳'];

interface Key {
  readonly field: number;
  readonly text: string;
}

/** Allocates frames one after the other, and counts those that are in use. */
function testMemory(): TextMemory & { readonly used: () => number } {
  const arena = new Arena(new WebAssembly.Memory({ initial: 1, maximum: 4_096, shared: true }));
  let used = 0;
  return {
    frames: (count) => {
      used += count;
      const before = arena.memory.grow((count * FRAME_BYTES) / 65_536);
      return before * 65_536;
    },
    block: () => 0,
    epochs: { advance: () => 0, oldestPinned: () => 0 },
    retire: (frames) => {
      used -= frames.length;
    },
    words: (endByte) => arena.words(endByte),
    bytes: (endByte) => arena.bytes(endByte),
    used: () => used,
  };
}

function randomKeys(random: Random): readonly Key[] {
  const keys = new Map<string, Key>();
  while (keys.size < TERMS) {
    const length = 1 + random.integer(random.integer(4) === 0 ? 40 : 8);
    const text = Array.from(
      { length },
      () => LETTERS[Math.floor(random.uniform() ** 2 * LETTERS.length)],
    ).join('');
    const field = random.integer(FIELDS);
    keys.set(`${field}:${text}`, { field, text });
  }
  return [...keys.values()];
}

function automata(random: Random): readonly Automaton[] {
  const word = () =>
    Array.from({ length: 1 + random.integer(7) }, () => LETTERS[random.integer(LETTERS.length)]).join('');
  return [
    levenshteinAutomaton(word(), 1),
    levenshteinAutomaton(word(), 2),
    regexAutomaton(`${word()}.*`),
    regexAutomaton(`.*${word()}`),
    regexAutomaton(`.*${word()}.+${word()}?`),
    regexAutomaton(`.?(${word()})+.*`),
    regexAutomaton('.*aabaac.*'),
    regexAutomaton('(ab|c)+[é字]?'),
    regexAutomaton('.*'),
  ];
}

it('finds the terms of a field that an automaton accepts, and the first with a prefix', () => {
  const random = new Random(5);
  const keys = randomKeys(random);
  const memory = testMemory();
  const terms = new SortedTerms(memory);
  const bytesOf = (term: number) => {
    const { field = 0, text = '' } = keys[term] ?? {};
    return Buffer.concat([Buffer.of(field), Buffer.from(text)]);
  };
  let count = 0;
  while (count < TERMS) {
    count = Math.min(TERMS, count + 1 + random.integer(6_000));
    terms.reach(count, bytesOf);
    terms.takeChange();
    const { runs, sorted } = terms.structure;
    assert.ok(count - sorted < 1_024, `${count - sorted} terms are not sorted`);
    assert.ok(runs.length <= 8, `${runs.length} runs`);
    const field = random.integer(FIELDS);
    const known = keys
      .slice(0, sorted)
      .flatMap((key, term) => (key.field === field ? [{ ...key, term }] : []));
    for (const automaton of automata(random)) {
      const found = runs.flatMap((run) => {
        const matching: string[] = [];
        const visitor = (text: string, term: number) => {
          assert.deepEqual(keys[term], { field, text });
          matching.push(text);
        };
        visitAccepted({ memory, run, field }, automaton, { steps: new QuerySteps(), visitor });
        assert.deepEqual(matching, matching.toSorted(compareBytes), 'in order');
        return matching;
      });
      const expected = known.filter(({ text }) => accepts(automaton, text)).map(({ text }) => text);
      assert.deepEqual(found.sort(), expected.sort());
    }
    for (const prefix of ['', 'a', 'bé', '字', `${known[0]?.text}`]) {
      const found: string[] = [];
      for (const run of runs) visitPrefixed({ memory, run, field }, prefix, (text) => found.push(text) > 0);
      const expected = known.filter(({ text }) => text.startsWith(prefix)).map(({ text }) => text);
      assert.deepEqual(found.sort(), expected.sort());
    }
  }
  terms.takeChange();
  terms.takeChange();
  const inRuns = terms.structure.runs.reduce((sum, { frames }) => sum + frames.length, 0);
  assert.equal(memory.used(), inRuns, 'frames of merged runs are freed');
});

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
