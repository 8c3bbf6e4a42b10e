// Guarantees of branches in one thread: they answer as copies would, whatever is written on either side.
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertBranchedLikeModel } from '../../../conformance/compare-with-model.ts';
import { randomBranchCase } from '../../../conformance/random-branches.ts';
import { openInProcess } from '../../in-process-index.ts';
import { effort } from '../../testing/effort.ts';
import { tempFolder } from '../../testing/temp-folder.ts';

const OPTIONS = { seed: 64, numRuns: effort({ daily: 60, long: 3_000 }) };
/** Other writes come between short steps. */
const TURNS = { take: (turn: () => boolean) => void setImmediate(turn), msMax: () => 0 };

describe('branches', () => {
  for (const [where, directRecordsMax] of [
    ['on disk', Number.POSITIVE_INFINITY],
    ['in memory', 0],
  ] as const)
    it(`answer as copies would, ${where}, after any writes to both sides`, async (test) => {
      await fc.assert(
        fc.asyncProperty(randomBranchCase, async (random) => {
          const index = openInProcess(random.profile, tempFolder(test), { directRecordsMax, turns: TURNS });
          const { reader, writer } = index;
          await assertBranchedLikeModel({ reader, writer, branches: writer.branches }, random);
          await index.close();
        }),
        OPTIONS,
      );
    });
});
