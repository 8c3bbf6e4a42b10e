// Searches a branch by searching the namespaces that hold its records, each as usual, and scoring what the branch shows of
// their matches exactly, in one state of the store (docs/decisions/064-branches.md).
import type { IndexProfile } from '../../../../domain/index-model.ts';
import type { QueryExplanation } from '../../../../domain/query-explain.ts';
import type { ExplainedMatches, QueryRequest } from '../../../port/reader-and-writer.ts';
import {
  type NamespacePart,
  type VisibleRecord,
  VisibleRecords,
} from '../../storage/branches/visible-records.ts';
import type { NamespaceRow } from '../../storage/namespace-table.ts';
import { presentRequests } from '../as-of/overlaid-search.ts';
import { DirectSearch } from '../direct-search.ts';
import type { LatestFiles } from '../latest-store.ts';
import type { Hit, SearchTarget } from '../search-target.ts';
import type { SearchedRecords } from '../searched-records.ts';
import type { Workspace } from '../workspace.ts';

const WITHOUT_PARTS = { sparse: false, metadata: false };

export interface BranchSearchParts {
  readonly profile: IndexProfile;
  readonly files: LatestFiles;
  readonly workspace: Workspace;
  /** Searches the own records of a namespace; null where it is not there any more. */
  readonly searchPart: (part: NamespacePart, request: QueryRequest) => Promise<ExplainedMatches | null>;
  /** Runs `work` while no row that it can see is reused. */
  readonly pinned: <Result>(work: () => Result) => Result;
}

/** What was found in a part. */
interface PartMatches {
  readonly part: NamespacePart;
  readonly ids: readonly string[];
  /** True when the part has no other matches. */
  readonly isAll: boolean;
  readonly explanation: QueryExplanation;
}

export interface BranchHits {
  readonly hits: readonly Hit[];
  readonly explanation: QueryExplanation;
}

export class BranchSearch {
  readonly #parts: BranchSearchParts;

  constructor(parts: BranchSearchParts) {
    this.#parts = parts;
  }

  /**
   * The best of a branch by vectors, as `use` makes answers of them while their records stay.
   * @returns null where only looking at all records tells
   */
  async query<Result>(
    name: string,
    { namespaceId, filterable }: SearchTarget,
    { request, use }: { readonly request: QueryRequest; readonly use: (hits: BranchHits) => Result },
  ): Promise<Result | null> {
    const places = this.#visible().parts({ namespaceId, name });
    const found = new Map<number, PartMatches>();
    let lacking = new Set(places.map((place) => place.namespaceId));
    for (const deeper of presentRequests(request)) {
      // The base first: what moves from there to the branch meanwhile is found in one of them.
      for (const part of [...places].reverse()) {
        if (!lacking.has(part.namespaceId)) continue;
        const answer = await this.#parts.searchPart(part, deeper);
        if (answer === null) return null;
        const ids = answer.matches.map(({ id }) => id);
        const { explanation } = answer;
        found.set(part.namespaceId, { part, ids, isAll: ids.length < deeper.topK, explanation });
      }
      const result = this.#parts.pinned(() => {
        const visible = this.#held();
        if (!isSame(visible.parts({ namespaceId, name }), places)) return 'changed' as const;
        const records = this.#shownOf(visible, namespaceId, found);
        lacking = new Set(
          [...found.values()]
            .filter(({ isAll, part }) => !isAll && countOf(records, part) < request.topK)
            .map(({ part }) => part.namespaceId),
        );
        if (lacking.size > 0) return 'lacking' as const;
        const hits = this.#best({ namespaceId, filterable }, { request, records });
        return { used: use({ hits, explanation: mainOf([...found.values()]) }) };
      });
      if (result === 'changed') return null;
      if (result !== 'lacking') return result.used;
    }
    return null;
  }

  /** Without their parts, of which there may be much. */
  #shownOf(
    visible: VisibleRecords,
    namespaceId: number,
    found: ReadonlyMap<number, PartMatches>,
  ): readonly VisibleRecord[] {
    const ids = new Set([...found.values()].flatMap((each) => each.ids));
    return [...ids].flatMap((id) => visible.get(namespaceId, id, WITHOUT_PARTS) ?? []);
  }

  #best(
    target: SearchTarget,
    { request, records }: { readonly request: QueryRequest; readonly records: readonly VisibleRecord[] },
  ): readonly Hit[] {
    const { profile, workspace, files } = this.#parts;
    const { shown } = files.store;
    const owners = new VisibleRecords(shown).owners(target.namespaceId);
    // Rows next to each other are read by one call.
    const inOrder = [...records].sort((a, b) => a.row - b.row);
    const searched: SearchedRecords = {
      *list(_, parts) {
        for (const { owner, row } of inOrder) {
          const body = shown.records.get(owner, row, parts);
          yield body === undefined ? null : { row, ...body };
        }
      },
      listById: () => [],
      rowsOf: () => files.rows?.of(owners, { shown, now: shown }) ?? null,
    };
    return new DirectSearch(profile, searched, workspace).query(target, request);
  }

  #visible(): VisibleRecords {
    return new VisibleRecords(this.#parts.files.store.now);
  }

  #held(): VisibleRecords {
    const { store } = this.#parts.files;
    store.hold();
    return new VisibleRecords(store.shown);
  }
}

/** A branch that has become whole meanwhile has all its records in another place. */
function isSame(now: readonly NamespacePart[], then: readonly NamespacePart[]): boolean {
  return (
    now.length === then.length && now.every(({ namespaceId }, i) => namespaceId === then[i]?.namespaceId)
  );
}

function countOf(records: readonly VisibleRecord[], { namespaceId }: NamespacePart): number {
  return records.filter(({ owner }) => owner === namespaceId).length;
}

/** That of the base, which has most records. */
function mainOf(found: readonly PartMatches[]): QueryExplanation {
  const [base] = found;
  if (base === undefined) throw new Error('a namespace has no parts');
  return base.explanation;
}

/** The row of a part, with its own records alone; null where its name means another namespace. */
export function ownRow(row: NamespaceRow | null, { namespaceId }: NamespacePart): NamespaceRow | null {
  if (row?.namespaceId !== namespaceId) return null;
  const { inherited: _, ...own } = row;
  return own;
}
