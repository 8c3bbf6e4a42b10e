// A bound on the unpacked pages that the columns of a row group have in memory together.
import { FileProblem } from '../file-bytes.ts';
import { PAGE_BYTES_MAX } from './page-stream.ts';

/** What the five columns of vectors take at most. */
const PAGES_BYTES_MAX = 5 * PAGE_BYTES_MAX;

export class PageBudget {
  #used = 0;

  /** Replaces a page in memory by another one. @param before its bytes; 0 for none @throws FileProblem */
  replace(before: number, bytes: number): void {
    this.#used += bytes - before;
    if (this.#used > PAGES_BYTES_MAX)
      throw new FileProblem(`the pages of its columns take over ${PAGES_BYTES_MAX} bytes at a time`);
  }
}
