// The guarantees every implementation of the vectors port keeps, as tests to run against it.
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { backups } from './backups.ts';
import { assertCopiedLikeModel, assertLikeModel } from './compare-with-model.ts';
import { explanations } from './explanations.ts';
import { checkOn, type MakeIndex } from './harness.ts';
import { deletions, namespaces, schemas } from './namespaces.ts';
import { pages } from './pages.ts';
import { randomCase } from './random-operations.ts';
import { holders, scores, searches } from './searches.ts';
import { updates, updatesByFilter } from './updates.ts';
import { upserts } from './upserts.ts';

export type { ConformanceIndex, MakeIndex } from './harness.ts';

const SEED = 20_261;
const RUNS = 40;
const COPY_RUNS = 10;

/**
 * Declares the suite under `name`.
 * @param runs random sequences of writes; fewer where making an index takes long
 * @example describeReaderAndWriter('the embedded engine', async (profile) => ({ reader, writer, close }))
 */
export function describeReaderAndWriter(
  name: string,
  makeIndex: MakeIndex,
  { runs = RUNS, copyRuns = COPY_RUNS }: { readonly runs?: number; readonly copyRuns?: number } = {},
): void {
  describe(`${name} keeps the vectors contract`, () => {
    const check = checkOn(makeIndex);
    const groups = [
      upserts,
      scores,
      searches,
      holders,
      explanations,
      updates,
      updatesByFilter,
      deletions,
      namespaces,
      schemas,
      pages,
      backups,
    ];
    for (const group of groups) group(check);

    it('shows the same state and answers as the reference model after any sequence of writes', async () => {
      const property = fc.asyncProperty(randomCase, async (facts) => {
        const index = await makeIndex(facts.profile);
        await assertLikeModel(index, facts).finally(() => index.close());
      });
      await fc.assert(property, { seed: SEED, numRuns: runs });
    });

    it('makes of an export what the reference model showed when it was opened, whatever was written since', async () => {
      const property = fc.asyncProperty(randomCase, async (facts) => {
        const index = await makeIndex(facts.profile);
        await assertCopiedLikeModel(index, facts).finally(() => index.close());
      });
      await fc.assert(property, { seed: SEED, numRuns: copyRuns });
    });
  });
}
