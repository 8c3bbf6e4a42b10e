// A chunk of a file as it is stored and found.
import type { PageStart } from '../../../documents/port.ts';

export interface FoundChunk {
  /** Revision of the file. */
  readonly revisionId: string;
  /** From 0, in file order. */
  readonly number: number;
  readonly text: string;
  /** Offset of the text in the text of its document. */
  readonly start: number;
  readonly tokens: number;
  readonly headings: readonly string[];
  readonly pageStarts?: readonly PageStart[] | undefined;
}

export interface RankedChunk {
  readonly chunk: FoundChunk;
  /** Higher is better. */
  readonly score: number;
}
