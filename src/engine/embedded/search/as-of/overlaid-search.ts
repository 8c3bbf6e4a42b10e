// Searches the past by searching the present: what was written since drops out of it, and the former records of that
// are scored exactly.
import type { IndexProfile } from '../../../../domain/index-model.ts';
import type { Match, QueryRequest } from '../../../port/reader-and-writer.ts';
import { BestHits, shownParts } from '../best-hits.ts';
import { DirectScan } from '../direct-scan.ts';
import { textQueriesIn } from '../direct-texts.ts';
import type { Hit, SearchTarget } from '../search-target.ts';
import type { Slices } from '../slices.ts';
import type { Workspace } from '../workspace.ts';
import type { PastRecords } from './past-records.ts';

/** Matches of the present to request beyond topK. */
const SPARE_MATCHES = 32;
const GROWTH = 8;
const MATCHES_MAX = 10_000;

/** False for scores and filters by texts: their statistics are of all records that there were. */
export function canUsePresent({ text, filter }: QueryRequest): boolean {
  return !text && textQueriesIn(filter).length === 0;
}

/** The same search of the present, deeper with each step. */
export function* presentRequests(request: QueryRequest): Generator<QueryRequest> {
  const { topK, candidatesMax } = request;
  for (let depth = topK + SPARE_MATCHES; ; depth = Math.min(depth * GROWTH, MATCHES_MAX)) {
    yield {
      ...request,
      ...{
        topK: depth,
        includeValues: false,
        includeMetadata: false,
        answerBytesMax: Number.POSITIVE_INFINITY,
      },
      ...(candidatesMax !== undefined && { candidatesMax: Math.max(depth, candidatesMax) }),
    };
    if (depth >= MATCHES_MAX) return;
  }
}

/** A search of the present, and what it found. */
export interface PresentMatches {
  readonly request: QueryRequest;
  readonly matches: readonly Match[];
}

export interface OverlayParts {
  readonly profile: IndexProfile;
  readonly workspace: Workspace;
  readonly records: PastRecords;
}

/** The best of the past; null where so many of the matches were written since that others may be missing. */
export function* overlaidHits(
  { profile, workspace, records }: OverlayParts,
  target: SearchTarget,
  { request, present }: { readonly request: QueryRequest; readonly present: PresentMatches },
): Slices<readonly Hit[] | null> {
  const best = new BestHits(profile, request);
  const parts = shownParts(request);
  let unchanged = 0;
  for (const { id, score } of present.matches) {
    const record = records.unchanged(target.namespaceId, id, parts);
    if (record === null) continue;
    unchanged++;
    best.add({ record, row: record.row, score });
  }
  const isAll = present.matches.length < present.request.topK;
  if (!isAll && unchanged < request.topK) return null;
  const former = {
    list: () => records.former(target.namespaceId),
    listById: () => [],
    rowsOf: () => records.rowsOf(target),
  };
  const scan = new DirectScan(profile, former, workspace);
  for (const hit of yield* scan.query(target, request)) best.add(hit);
  return best.finish();
}
