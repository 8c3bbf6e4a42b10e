// Requests codes of rows from disk together before they are compared, where the last search found them out of memory:
// one by one, each would be waited for.
import type { GraphResults } from '../kernels/graph-interface.ts';
import { type Range, requestPages } from '../memory/page-requests.ts';
import { entriesAt } from './heap-entries.ts';
import type { Selection } from './selection.ts';

/** For each row: comparing it in memory takes less, and a read from disk for one of a hundred rows more. */
const IN_MEMORY_MS = 0.002;

/** What of a selection tells where the codes of its rows lie. */
export interface CodePlaces {
  readonly workspace: Pick<Selection['workspace'], 'arena'>;
  readonly view: Pick<Selection['view'], 'codesOf'>;
}

export class CodePrefetch {
  readonly #clock: () => number;
  readonly #request: typeof requestPages;
  #isCold = false;

  /** @param clock in milliseconds @param request asks for pages */
  constructor(clock = () => performance.now(), request = requestPages) {
    this.#clock = clock;
    this.#request = request;
  }

  /** Compares the rows of results by `compare`, which reads their codes. */
  run(
    { workspace, view }: CodePlaces,
    { entries, count }: Pick<GraphResults, 'entries' | 'count'>,
    compare: () => void,
  ): void {
    if (this.#isCold) {
      const { slots } = entriesAt(workspace, entries, count);
      const ranges: Range[] = [];
      for (let at = 0; at < count; at++) ranges.push(...view.codesOf(slots[2 * at + 1] ?? 0));
      this.#request(workspace.arena, ranges);
    }
    // Requesting takes its time even where all is in memory.
    const began = this.#clock();
    compare();
    this.#isCold = this.#clock() - began > count * IN_MEMORY_MS;
  }
}
