// The words that a writer remembers lead to the terms that were given for them, or to none.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { scanWords } from '../../../domain/full-text/analysis/words.ts';
import { effort } from '../testing/effort.ts';
import { type FoundWord, KnownWords, NO_TERM, UNKNOWN_WORD } from './known-words.ts';

const SEED = 7;
/** More than are remembered. */
const MANY = effort({ daily: 140_000, long: 500_000 });

function wordsOf(field: number, text: string): readonly FoundWord[] {
  const words: FoundWord[] = [];
  scanWords(text, SEED, (start, end, hash) => words.push({ field, text, start, end, hash }));
  return words;
}

const textOf = ({ field, text, start, end }: FoundWord) => `${field} ${text.slice(start, end)}`;

it('finds the term of each word of a field, and of no other', () => {
  const texts = fc.array(fc.tuple(fc.nat(3), fc.string({ unit: fc.constantFrom('a', 'b', 'é', '𐐨', ' ') })));
  fc.assert(
    fc.property(texts, (each) => {
      const known = new KnownWords();
      const model = new Map<string, number>();
      for (const [field, text] of each) {
        for (const word of wordsOf(field, text)) {
          const expected = model.get(textOf(word));
          assert.equal(known.find(word), expected ?? UNKNOWN_WORD);
          if (expected !== undefined) continue;
          const term = model.size % 5 === 0 ? NO_TERM : model.size;
          model.set(textOf(word), term);
          known.add(word, term);
        }
      }
    }),
    { seed: 1, numRuns: effort({ daily: 200, long: 2_000 }) },
  );
});

it('forgets words where they are many, and never takes one for another, even where all have the same hash', () => {
  const known = new KnownWords();
  const word = (number: number): FoundWord => {
    const text = `w${number}`;
    return { ...{ field: 0, text, start: 0, end: text.length }, hash: number < 100 ? 1 : number };
  };
  let missed = 0;
  let forgotten = 0;
  for (let number = 0; number < MANY; number++) {
    known.add(word(number), number);
    const found = known.find(word(number));
    if (found === UNKNOWN_WORD) missed++;
    else assert.equal(found, number);
  }
  assert.ok(missed < 100, 'only words of the same hash are not remembered');
  for (let number = 0; number < MANY; number++) {
    const found = known.find(word(number));
    if (found === UNKNOWN_WORD) forgotten++;
    else assert.equal(found, number);
  }
  assert.ok(forgotten > 0);
});

it('does not remember very long words', () => {
  const known = new KnownWords();
  const [long] = wordsOf(0, 'x'.repeat(100));
  assert.ok(long !== undefined);
  known.add(long, 3);
  assert.equal(known.find(long), UNKNOWN_WORD);
});
