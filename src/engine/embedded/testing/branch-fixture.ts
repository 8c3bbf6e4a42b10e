// An index in this thread for tests of branches, whose long work lets other writes in.
import type { TestContext } from 'node:test';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { type InProcessIndex, openInProcess } from '../in-process-index.ts';
import { RandomRecords } from './random-records.ts';
import { tempFolder } from './temp-folder.ts';

/** Other writes come between short steps. */
export const TURNS = { take: (turn: () => boolean) => void setImmediate(turn), msMax: () => 0 };
export const BRANCH_PROFILE = sampleProfile({ dimension: 4, metric: 'dotproduct' });

/** An index that is kept in memory, and records for it. */
export function openedForBranches(test: Pick<TestContext, 'after'>): {
  readonly index: InProcessIndex;
  readonly records: RandomRecords;
} {
  const index = openInProcess(BRANCH_PROFILE, tempFolder(test), { directRecordsMax: 0, turns: TURNS });
  return { index, records: new RandomRecords(BRANCH_PROFILE, 7) };
}
