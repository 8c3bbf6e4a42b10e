// Passages that answers cite: found again in their files, with the page around them and their place on it.
import type { Assistant } from './assistant.ts';
import type { AssistantFile } from './file.ts';

/** Characters of a passage: more than the largest snippet of an answer has. */
export const PASSAGE_CHARS_MAX = 32_000;

/** A rectangle in points (1/72 inch) from the upper left corner of the page as it is shown. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A part of a page that a passage covers, at most one line of text. */
export interface PageRegion extends Rectangle {
  /** From 1. */
  readonly page: number;
}

/** A piece of text, as the page draws it. */
export interface PageText extends Rectangle {
  readonly text: string;
}

export interface PageLayout {
  /** From 1. */
  readonly page: number;
  /** In points. */
  readonly width: number;
  readonly height: number;
  /** The level pieces of text, in drawing order. */
  readonly texts: readonly PageText[];
}

export interface FoundPassage {
  /** The page on which it begins; null in files without pages. */
  readonly page: number | null;
  /** The page, or the pages that the passage is on; of files without pages, the text around the passage. */
  readonly text: string;
  /** Where the passage is in `text`, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  /** What the passage covers, in reading order; empty where the format does not tell. */
  readonly regions: readonly PageRegion[];
  /** The pages that it is on; empty where the format does not tell. */
  readonly layouts: readonly PageLayout[];
}

/** A passage whose regions are asked for. */
export interface PlacedPassage {
  readonly text: string;
  /** The text before it, by which it is told from others that say the same; may be empty. */
  readonly before: string;
  /** The pages that it is on, in order. */
  readonly pages: readonly number[];
}

export interface RegionOptions {
  /** Of the caller. */
  readonly projectId: string;
  readonly signal: AbortSignal;
  /** How long the file may take, above 0. */
  readonly waitMs: number;
}

export interface PassageRegions {
  /**
   * What each passage covers, in reading order. Nothing where the format does not tell, such as that of scans, or where
   * the file cannot be read in time.
   */
  regions(
    file: Pick<AssistantFile, 'assistantId' | 'revisionId' | 'sha256' | 'name'>,
    passages: readonly PlacedPassage[],
    options: RegionOptions,
  ): Promise<readonly (readonly PageRegion[])[]>;
}

export interface Passages extends PassageRegions {
  /**
   * Null where the file, as it is now, does not have the passage.
   * @param file of the assistant
   */
  find(
    assistant: Assistant,
    file: Pick<AssistantFile, 'assistantId' | 'revisionId' | 'sha256' | 'name'>,
    passage: { readonly text: string; readonly signal: AbortSignal },
  ): Promise<FoundPassage | null>;
}
