// Search of the records on disk in one go: for namespaces too small to be worth memory.
import type { Filter } from '../../../domain/filter/grammar.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { FieldCounts } from '../../../domain/records/value-counts.ts';
import type { MatchTargets, ValuesRequest } from '../../port/reader-and-writer.ts';
import { DirectScan } from './direct-scan.ts';
import type { FoundPage } from './found-page.ts';
import type { SearchRequest } from './search-request.ts';
import type { Hit, NamespaceSearch, PageRequest, SearchTarget } from './search-target.ts';
import type { SearchedRecords } from './searched-records.ts';
import { runSlices } from './slices.ts';
import type { Workspace } from './workspace.ts';

export class DirectSearch implements NamespaceSearch {
  readonly #scan: DirectScan;

  constructor(profile: IndexProfile, searched: SearchedRecords, workspace: Workspace) {
    this.#scan = new DirectScan(profile, searched, workspace);
  }

  query(target: SearchTarget, request: SearchRequest): readonly Hit[] {
    return runSlices(this.#scan.query(target, request));
  }

  pageOf(target: SearchTarget, filter: Filter, page: PageRequest): FoundPage {
    return runSlices(this.#scan.pageOf(target, filter, page));
  }

  count(target: SearchTarget, filter: Filter | null, among: MatchTargets): number {
    return runSlices(this.#scan.count(target, filter, among));
  }

  countValues(target: SearchTarget, request: ValuesRequest): readonly FieldCounts[] {
    return runSlices(this.#scan.countValues(target, request));
  }
}
