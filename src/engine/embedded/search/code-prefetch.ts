// Requests codes of rows from disk together before they are compared, where the last search found them out of memory:
// one by one, each would be waited for.
import type { GraphResults } from '../kernels/graph-interface.ts';
import { type Range, requestPages } from '../memory/page-requests.ts';
import { entriesAt } from './heap-entries.ts';
import type { Selection } from './selection.ts';

/** Comparing hundreds of rows in memory, and asking for them, takes less; some reads from disk take more. */
const DISK_MS = 0.5;

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
    { workspace, view }: Pick<Selection, 'workspace' | 'view'>,
    { entries, count }: GraphResults,
    compare: () => void,
  ): void {
    const began = this.#clock();
    if (this.#isCold) {
      const { slots } = entriesAt(workspace, entries, count);
      const ranges: Range[] = [];
      for (let at = 0; at < count; at++) ranges.push(...view.codesOf(slots[2 * at + 1] ?? 0));
      this.#request(workspace.arena, ranges);
    }
    compare();
    this.#isCold = this.#clock() - began > DISK_MS;
  }
}
