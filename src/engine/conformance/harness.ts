// Shared by the parts of the conformance suite: a fresh index for each test, and assertions.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Fault, type FaultName } from '../../domain/faults.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import type { IndexExport } from '../port/index-copies.ts';
import type { NeighborLists, NeighborRequest } from '../port/neighbor-lists.ts';
import type { ListPage, QueryRequest, VectorReader, VectorWriter } from '../port/reader-and-writer.ts';
import { sampleProfile, sampleQuery, where } from './sample-data.ts';

/** An index under test. */
export interface ConformanceIndex {
  readonly reader: VectorReader;
  readonly writer: VectorWriter;
  neighbors(request: NeighborRequest): Promise<NeighborLists>;
  /** Opens an export. */
  exported(): Promise<IndexExport>;
  /** Imports an export as a new index with the same profile, except for `overrides`. @throws CopyFailed */
  imported(bytes: AsyncIterable<Uint8Array>, overrides?: Partial<IndexProfile>): Promise<ConformanceIndex>;
  close(): Promise<void>;
  /** How many single bytes of a copy to damage, one after the other; fewer where a rejection is slow. */
  readonly damagesMax?: number;
}

/** Makes a new, empty index. */
export type MakeIndex = (profile: IndexProfile) => Promise<ConformanceIndex>;

/** Declares a test that runs on an index of its own. */
export type Check = (
  title: string,
  overrides: Partial<IndexProfile>,
  run: (index: ConformanceIndex) => Promise<void>,
) => void;

export const HYBRID = { metric: 'dotproduct' } as const;
export const SPARSE = { metric: 'dotproduct', vectorType: 'sparse', dimension: null } as const;
export const DRAMA = where('genre', { op: 'in', values: ['drama'] });
/** More bytes than any page of the suite has. */
export const ANY_BYTES = 2 ** 30;

const SCORE_TOLERANCE = 1e-5;

export function checkOn(makeIndex: MakeIndex): Check {
  return (title, overrides, run) =>
    it(title, async () => {
      const index = await makeIndex(sampleProfile(overrides));
      await run(index).finally(() => index.close());
    });
}

/** A change of a record that has no effect; spread fields over it. */
export function unchanged(id: string) {
  return { id, values: null, sparse: null, setMetadata: null };
}

export function idsOf(records: readonly { readonly id: string }[]): readonly string[] {
  return records.map(({ id }) => id);
}

export function listAll(reader: VectorReader, namespace: string): Promise<ListPage<string>> {
  return reader.listIds({ namespace, prefix: '', limit: 1_000, after: null });
}

/** Checks that the matches of a query have these ids and, within tolerance, these scores. */
export async function assertScores(
  reader: VectorReader,
  query: Partial<QueryRequest>,
  expected: readonly (readonly [id: string, score: number])[],
): Promise<void> {
  const matches = await reader.query(sampleQuery(query));
  assert.deepEqual(
    idsOf(matches),
    expected.map(([id]) => id),
  );
  for (const [position, [id, score]] of expected.entries()) {
    const actual = matches[position]?.score ?? Number.NaN;
    assert.ok(Math.abs(actual - score) <= SCORE_TOLERANCE * Math.max(1, Math.abs(score)), `${id}: ${actual}`);
  }
}

export async function assertFault(condition: FaultName, promise: Promise<unknown>): Promise<void> {
  await assert.rejects(promise, (error) => error instanceof Fault && error.condition === condition);
}
