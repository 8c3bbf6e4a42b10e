// Passages that answers cite, found again in their files with the page around them.
import type { Assistant } from './assistant.ts';
import type { AssistantFile } from './file.ts';

/** Characters of a passage: more than the largest snippet of an answer has. */
export const PASSAGE_CHARS_MAX = 32_000;

export interface FoundPassage {
  /** The page on which it begins; null in files without pages. */
  readonly page: number | null;
  /** The page, or the pages that the passage is on; of files without pages, the text around the passage. */
  readonly text: string;
  /** Where the passage is in `text`, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

export interface Passages {
  /**
   * Null where the file, as it is now, does not have the passage.
   * @param file of the assistant
   */
  find(
    assistant: Assistant,
    file: Pick<AssistantFile, 'revisionId'>,
    passage: { readonly text: string; readonly signal: AbortSignal },
  ): Promise<FoundPassage | null>;
}
