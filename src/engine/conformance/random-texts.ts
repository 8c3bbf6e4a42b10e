// Random documents, writes and text queries for the property test of the conformance suite.
import fc from 'fast-check';
import type { Filter } from '../../domain/filter/grammar.ts';
import type { TextQuery } from '../../domain/full-text/text-query.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import type { StorableRecord } from '../port/reader-and-writer.ts';
import { ReferenceIndex } from '../reference/reference-index.ts';
import { assertSameMatches, assertSameSelection, assertSameState } from './compare-with-model.ts';
import { document, phrase, TEXTS_ONLY, term } from './document-data.ts';
import type { ConformanceIndex } from './harness.ts';
import { type Operation, outcomeOf } from './random-operations.ts';
import { sampleProfile, sampleQuery, where } from './sample-data.ts';

const WORDS = ['a', 'ab', 'abc', 'abd', 'b', 'bc', 'running', 'dogs', 'the', 'é', 'zoo'];
const FIELDS = ['text', 'title', 'body'];
const IDS = Array.from({ length: 12 }, (_, i) => `d${i}`);

export interface RandomTexts {
  readonly profile: IndexProfile;
  readonly operations: readonly Operation[];
  readonly queries: readonly TextQuery[];
  readonly topK: number;
}

const words = fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }).map((list) => list.join(' '));
const field = fc.constantFrom(...FIELDS);
const word = fc.constantFrom('a', 'ab', 'abc', 'b', 'bc', 'run', 'dog', 'é', 'zoo', 'none');

const record: fc.Arbitrary<StorableRecord> = fc
  .tuple(
    fc.constantFrom(...IDS),
    fc.record(
      { text: words, title: words, body: words, n: fc.integer({ min: 0, max: 3 }) },
      { requiredKeys: ['text'] },
    ),
  )
  .map(([id, fields]) => document(id, fields, null));

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.array(record, { minLength: 1, maxLength: 8 }).map(
      (records): Operation =>
        async (writer) =>
          void (await writer.upsert('', records)),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.array(fc.constantFrom(...IDS), { minLength: 1, maxLength: 4 }).map(
      (ids): Operation =>
        async (writer) =>
          void (await writer.deleteIds('', ids)),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom(...IDS), field, words).map(([id, name, text]): Operation => {
      const change = { id, values: null, sparse: null, setMetadata: { [name]: text } };
      return async (writer) => void (await writer.update('', change));
    }),
  },
);

const query: fc.Arbitrary<TextQuery> = fc.letrec<{ query: TextQuery; leaf: TextQuery }>((tie) => {
  const parts = fc.array(tie('query'), { maxLength: 3 });
  return {
    query: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      { arbitrary: tie('leaf'), weight: 4 },
      {
        arbitrary: fc
          .record({ must: parts, should: parts, mustNot: parts })
          .map((each) => ({ kind: 'bool' as const, ...each })),
        weight: 3,
      },
      {
        arbitrary: fc
          .tuple(fc.constantFrom(0, 0.5, 2), tie('query'))
          .map(([factor, inner]) => ({ kind: 'boost' as const, factor, query: inner })),
        weight: 1,
      },
    ),
    leaf: fc.oneof(
      { arbitrary: fc.tuple(field, word).map(([name, each]): TextQuery => term(name, each)), weight: 5 },
      {
        arbitrary: fc
          .tuple(field, fc.array(word, { minLength: 2, maxLength: 4 }), fc.integer({ min: 0, max: 3 }))
          .map(([name, each, slop]): TextQuery => ({ ...phrase(name, each), slop })),
        weight: 3,
      },
      {
        arbitrary: fc
          .tuple(field, fc.array(word, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 3 }))
          .map(([name, each, expansionsMax]): TextQuery => {
            const { terms } = phrase(name, each);
            return { kind: 'phrasePrefix', field: name, terms, expansionsMax };
          }),
        weight: 2,
      },
      {
        arbitrary: fc
          .tuple(field, word, fc.integer({ min: 0, max: 2 }))
          .map(([name, each, editsMax]): TextQuery => ({ kind: 'fuzzy', field: name, term: each, editsMax })),
        weight: 2,
      },
      {
        arbitrary: fc
          .tuple(field, fc.constantFrom('a.*', '[ab]+', 'run|do.', 'x'))
          .map(([name, pattern]): TextQuery => ({ kind: 'regex', field: name, pattern })),
        weight: 1,
      },
      { arbitrary: fc.constantFrom<TextQuery>({ kind: 'all' }, { kind: 'none' }), weight: 1 },
    ),
  };
}).query;

/** A namespace of few words and few ids, so that writes meet and queries match. */
export const randomTexts: fc.Arbitrary<RandomTexts> = fc.record({
  profile: fc.constant(sampleProfile(TEXTS_ONLY)),
  operations: fc.array(operation, { minLength: 1, maxLength: 10 }),
  queries: fc.array(query, { minLength: 4, maxLength: 8 }),
  topK: fc.integer({ min: 1, max: 15 }),
});

/** Runs a case on the index and on the model, and checks that outcomes, state, matches and selections are equal. */
export async function assertTextsLikeModel(index: ConformanceIndex, random: RandomTexts): Promise<void> {
  const model = new ReferenceIndex(random.profile);
  for (const [i, run] of random.operations.entries()) {
    assertEqualOutcome(await outcomeOf(index.writer, run), await outcomeOf(model, run));
    const text = random.queries[i % random.queries.length];
    if (text !== undefined)
      await assertSameMatches(index.reader, model, sampleQuery({ text, topK: random.topK }));
  }
  await assertSameState(index.reader, model);
  const few = where('n', { op: 'in', values: [1, 2] });
  for (const text of random.queries) {
    const request = sampleQuery({ text, topK: random.topK });
    await assertSameMatches(index.reader, model, request);
    await assertSameMatches(index.reader, model, { ...request, filter: few });
    const filter: Filter = {
      kind: 'any',
      parts: [few, { kind: 'not', part: { kind: 'text', query: text } }],
    };
    await assertSameSelection(index.reader, model, { namespace: '', filter });
  }
}

function assertEqualOutcome(actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`expected ${String(expected)}, got ${String(actual)}`);
}
