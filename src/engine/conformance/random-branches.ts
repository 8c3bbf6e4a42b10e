// Random writes to namespaces and their branches, for the property test of branches.
import fc from 'fast-check';
import { Fault } from '../../domain/faults.ts';
import type { BranchDifference, IndexBranches, OnConflict } from '../port/index-branches.ts';
import type { VectorWriter } from '../port/reader-and-writer.ts';
import { type Operation, RANDOM_NAMESPACES, type RandomCase, randomCase } from './random-operations.ts';

/** What random operations work on. */
export interface BranchedIndex {
  readonly writer: VectorWriter;
  readonly branches: IndexBranches;
}

export type BranchOperation = (index: BranchedIndex) => Promise<unknown>;

export interface RandomBranchCase extends Omit<RandomCase, 'operations'> {
  readonly operations: readonly BranchOperation[];
}

const PAGE = 3;
const name = fc.constantFrom(...RANDOM_NAMESPACES);
const onConflict = fc.constantFrom<OnConflict>('fail', 'branch', 'source');

const branching: fc.Arbitrary<BranchOperation> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(name, name).map(([source, branch]) =>
      named(`branch ${source} as ${branch}`, async ({ branches }) => {
        const { records, changedRecords } = await branches.create({ source, name: branch, asOf: null });
        return [records, changedRecords];
      }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(name, onConflict).map(([branch, conflict]) =>
      named(`merge ${branch}, ${conflict}`, async (index) => {
        const merged = await unlessRefused(mergeAll(index.branches, branch, conflict));
        return merged === null ? null : [merged.written, merged.deleted, merged.conflicts];
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: name.map((branch) =>
      named(`copy all of ${branch}`, async ({ branches }) => {
        while ((await unlessRefused(branches.makeWhole(branch)))?.isDone === false);
      }),
    ),
  },
);

/** Writes of all kinds, branches in between. */
export const randomBranchCase: fc.Arbitrary<RandomBranchCase> = fc
  .tuple(randomCase, fc.array(branching, { minLength: 3, maxLength: 8 }), fc.infiniteStream(fc.nat(2)))
  .map(([random, branchings, turns]) => ({
    ...random,
    operations: mixed(random.operations.map(onWriter), branchings, turns),
  }));

/** As `outcomeOf` of the operations on writers. */
export async function branchOutcomeOf(index: BranchedIndex, operation: BranchOperation): Promise<unknown> {
  try {
    return await operation(index);
  } catch (error) {
    if (error instanceof Fault) return error.condition;
    throw error;
  }
}

export async function mergeAll(branches: IndexBranches, branch: string, conflict: OnConflict) {
  for (;;) {
    const progress = await branches.merge({ key: 'merge', branch, onConflict: conflict });
    if (progress.isDone) return progress;
  }
}

/** All pages. */
export async function allDifferences(
  branches: IndexBranches,
  branch: string,
): Promise<readonly BranchDifference[]> {
  const all: BranchDifference[] = [];
  for (let after: string | null = null; ; ) {
    const { differences, next } = await branches.differences({ branch, after, limit: PAGE });
    all.push(...differences);
    if (next === null) return all;
    after = next;
  }
}

/** Engines differ in how long a branch stays one after its source was deleted. */
async function unlessRefused<Result>(work: Promise<Result>): Promise<Result | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Fault) return null;
    throw error;
  }
}

function onWriter(operation: Operation): BranchOperation {
  return named(operation.toString(), async ({ writer }) => operation(writer));
}

/** Each operation on branches stands between writes, so that both sides have changed before the next. */
function mixed(
  writes: readonly BranchOperation[],
  branchings: readonly BranchOperation[],
  turns: Iterable<number>,
): readonly BranchOperation[] {
  const [left, right] = [[...writes], [...branchings]];
  const all: BranchOperation[] = [];
  for (const turn of turns) {
    const next = (turn === 0 ? right : left).shift();
    if (next !== undefined) all.push(next);
    if (left.length === 0 && right.length === 0) break;
  }
  return all;
}

function named(title: string, operation: BranchOperation): BranchOperation {
  return Object.assign(operation, { toString: () => title });
}
