// Groups the matches of a search by the values of a metadata field, and searches again until the groups are full.
import type { Filter, Scalar } from '../../domain/filter/grammar.ts';
import { TOP_K_MAX } from '../../domain/limits.ts';
import { parseMetadata } from '../../domain/records/metadata.ts';
import type { MetadataValue } from '../../domain/records/record.ts';
import type { Match, QueryRequest, VectorReader } from './record-access.ts';
import { withRecords } from './with-records.ts';

/** Searches for one answer: each excludes the groups that those before it have filled. */
const SEARCHES_MAX = 10;
/** Matches of the first search, at least. */
const DEPTH_MIN = 100;
/** How much deeper the first search goes than full groups have members, and each further one than the one before. */
const DEPTH_FACTOR = 2;
/** Records in memory at a time, which may be large. */
const RECORDS_READ_MAX = 100;

export interface RequestedGroups {
  readonly field: string;
  /** Members of a group, at most. */
  readonly size: number;
  readonly groupsMax: number;
}

type Ranked = Pick<Match, 'id' | 'score'>;

export interface GroupedMatch extends Ranked {
  readonly group: Scalar;
}

/** A match, with what was read of its record and the value of its group, if any. */
export type RankedMatch = Match & Partial<Pick<GroupedMatch, 'group'>>;

/** What a search is asked besides what it ranks by. */
export type SearchOptions = Omit<QueryRequest, 'values' | 'sparse' | 'text'>;

/** Finds the top records, best first; ids and scores only. */
export type RankedSearch = (options: SearchOptions) => Promise<readonly Ranked[]>;

export interface Grouping {
  readonly groups: RequestedGroups;
  readonly search: RankedSearch;
  /** False where a record's score depends on which others match: then there is one search only. */
  readonly isRepeatable: boolean;
}

/**
 * The top members of the top groups, group by group. A record with a list is in the group of each of its strings, and one
 * without the field in none.
 * Groups are in the order of their top members, and complete unless that takes more than SEARCHES_MAX searches.
 */
export async function groupMatches(
  reader: VectorReader,
  options: SearchOptions,
  { groups: requested, search, isRepeatable }: Grouping,
): Promise<readonly GroupedMatch[]> {
  const { namespace } = options;
  const groups = new Groups(requested);
  let depth = Math.max(DEPTH_MIN, DEPTH_FACTOR * requested.groupsMax * requested.size);
  const searchesMax = isRepeatable ? SEARCHES_MAX : 1;
  for (let searches = 0; searches < searchesMax && !groups.areFull; searches++) {
    const topK = Math.min(depth, TOP_K_MAX);
    const found = await search(narrowed({ ...options, topK }, groups.filter));
    // Filters cannot use every field: then one search without must do, whose records are grouped all the same.
    const isBlind = searches === 0 && found.length === 0;
    const matches = isBlind ? await search(narrowed({ ...options, topK }, null)) : found;
    for (let first = 0; first < matches.length; first += RECORDS_READ_MAX) {
      const batch = matches.slice(first, first + RECORDS_READ_MAX);
      const values = await valuesOf(reader, namespace, { field: requested.field, matches: batch });
      for (const match of batch) groups.add(match, values.get(match.id));
    }
    if (isBlind || matches.length < topK) break;
    depth *= DEPTH_FACTOR;
  }
  return groups.matches;
}

/** As `groupMatches`, with the requested parts of the records. @throws response-too-big */
export async function groupRecords(
  reader: VectorReader,
  options: SearchOptions,
  grouping: Grouping,
): Promise<readonly RankedMatch[]> {
  return withRecords(reader, await groupMatches(reader, options, grouping), options);
}

/** The answer's bounds and records are not those of its searches. */
function narrowed(
  { answerBytesMax: _bytes, answerForm: _form, candidatesMax, ...options }: SearchOptions,
  filter: Filter | null,
): SearchOptions {
  const parts = [options.filter, filter].filter((part) => part !== null);
  return {
    ...options,
    filter: parts.length > 1 ? { kind: 'all', parts } : (parts[0] ?? null),
    includeValues: false,
    includeMetadata: false,
    ...(candidatesMax !== undefined && { candidatesMax: Math.max(candidatesMax, options.topK) }),
  };
}

async function valuesOf(
  reader: VectorReader,
  namespace: string,
  { field, matches }: { readonly field: string; readonly matches: readonly Ranked[] },
): Promise<ReadonlyMap<string, MetadataValue | undefined>> {
  const records = await reader.fetch(
    namespace,
    matches.map(({ id }) => id),
  );
  return new Map(
    records.map(({ id, metadataJson }) => {
      const metadata = parseMetadata(metadataJson);
      return [id, Object.hasOwn(metadata, field) ? metadata[field] : undefined];
    }),
  );
}

/** The groups so far, in the order in which they were met: that of their top members. */
class Groups {
  readonly #requested: RequestedGroups;
  readonly #byValue = new Map<Scalar, Map<string, GroupedMatch>>();

  constructor(requested: RequestedGroups) {
    this.#requested = requested;
  }

  get areFull(): boolean {
    return this.#isComplete && this.#values(({ size }) => size < this.#requested.size).length === 0;
  }

  /** What the next search looks for: members of groups that are not full, or of new ones. */
  get filter(): Filter {
    const { field, size } = this.#requested;
    const test = this.#isComplete
      ? { op: 'in' as const, values: this.#values((members) => members.size < size) }
      : { op: 'other' as const, values: this.#values((members) => members.size >= size) };
    return { kind: 'field', field, test };
  }

  get matches(): readonly GroupedMatch[] {
    return [...this.#byValue.values()].flatMap((members) => [...members.values()]);
  }

  /** @param value of the field: a list counts for each of its elements */
  add(match: Ranked, value: MetadataValue | undefined): void {
    if (value === undefined) return;
    for (const each of typeof value === 'object' ? value : [value]) this.#addTo(each, match);
  }

  #addTo(value: Scalar, { id, score }: Ranked): void {
    const members = this.#byValue.get(value) ?? this.#newGroup(value);
    if (members === null || members.has(id) || members.size >= this.#requested.size) return;
    members.set(id, { id, score, group: value });
  }

  get #isComplete(): boolean {
    return this.#byValue.size >= this.#requested.groupsMax;
  }

  #newGroup(value: Scalar): Map<string, GroupedMatch> | null {
    if (this.#isComplete) return null;
    const members = new Map<string, GroupedMatch>();
    this.#byValue.set(value, members);
    return members;
  }

  #values(accepts: (members: ReadonlyMap<string, GroupedMatch>) => boolean): readonly Scalar[] {
    return Array.from(this.#byValue).flatMap(([value, members]) => (accepts(members) ? [value] : []));
  }
}
