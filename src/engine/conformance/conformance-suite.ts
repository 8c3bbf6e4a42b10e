// The conformance suite of readers and writers: the guarantees of every engine, as tests to run over one.
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { effort } from '../embedded/testing/effort.ts';
import { backups } from './backups.ts';
import { assertCopiedLikeModel, assertLikeModel } from './compare-with-model.ts';
import { datesAndPlaces } from './dates-and-places.ts';
import { documents } from './documents.ts';
import { explanations } from './explanations.ts';
import { checkOn, type MakeIndex } from './harness.ts';
import { deletions, namespaces, schemas } from './namespaces.ts';
import { neighbors } from './neighbors.ts';
import { pages } from './pages.ts';
import { randomCase } from './random-operations.ts';
import { assertTextsLikeModel, randomTexts } from './random-texts.ts';
import { rankedTexts, withoutRankedTexts } from './ranked-texts.ts';
import { requiredTerms, scores, searches } from './searches.ts';
import { texts } from './texts.ts';
import { updates, updatesByFilter } from './updates.ts';
import { upserts } from './upserts.ts';
import { textValueCounts, valueCounts } from './value-counts.ts';

export type { ConformanceIndex, MakeIndex } from './harness.ts';

const SEED = 20_261;
const RUNS = effort({ daily: 15, long: 40 });
const COPY_RUNS = effort({ daily: 4, long: 10 });

export interface SuiteOptions {
  /** How many random sequences of writes to try; fewer where creating an index is slow. */
  readonly runs?: number;
  readonly copyRuns?: number;
  /** As the engine declares it. Default true. */
  readonly hasDocuments?: boolean;
  /** As the engine declares it. Default true. */
  readonly ranksTexts?: boolean;
}

/**
 * Declares the suite under `name`.
 * @example describeReaderAndWriter('the embedded engine', async (profile) => ({ reader, writer, close }))
 */
export function describeReaderAndWriter(
  name: string,
  makeIndex: MakeIndex,
  { runs = RUNS, copyRuns = COPY_RUNS, hasDocuments = true, ranksTexts = true }: SuiteOptions = {},
): void {
  describe(`${name} conforms as a reader and a writer`, () => {
    const check = checkOn(makeIndex);
    const groups = [
      upserts,
      scores,
      searches,
      requiredTerms,
      datesAndPlaces,
      explanations,
      updates,
      updatesByFilter,
      ranksTexts ? rankedTexts : withoutRankedTexts,
      ...(hasDocuments ? [documents, texts, textValueCounts] : []),
      deletions,
      namespaces,
      schemas,
      pages,
      valueCounts,
      neighbors,
      backups,
    ];
    for (const group of groups) group(check);

    it('shows the same state and answers as the reference model after any sequence of writes', async () => {
      const property = fc.asyncProperty(randomCase, async (random) => {
        const index = await makeIndex(random.profile);
        await assertLikeModel(index, random).finally(() => index.close());
      });
      await fc.assert(property, { seed: SEED, numRuns: runs });
    });

    if (hasDocuments)
      it('ranks and filters by texts as the reference model after any sequence of writes', async () => {
        const property = fc.asyncProperty(randomTexts, async (random) => {
          const index = await makeIndex(random.profile);
          await assertTextsLikeModel(index, random).finally(() => index.close());
        });
        await fc.assert(property, { seed: SEED, numRuns: runs });
      });

    it('exports the state of the reference model at the time of the export, whatever is written later', async () => {
      const property = fc.asyncProperty(randomCase, async (random) => {
        const index = await makeIndex(random.profile);
        await assertCopiedLikeModel(index, random).finally(() => index.close());
      });
      await fc.assert(property, { seed: SEED, numRuns: copyRuns });
    });
  });
}
