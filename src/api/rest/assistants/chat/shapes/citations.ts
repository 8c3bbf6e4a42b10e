// The shape of citations in chat replies: position, file and pages.
import { type Answer, type Passage, pagesOf } from '../../../../../app/assistants/chat/answer-model.ts';
import type { PageRegion } from '../../../../../domain/assistants/passages.ts';

/** A file in the API's shape; passed through unchanged. */
export type FileShape = Readonly<Record<string, unknown>>;

export interface ReferenceShape {
  readonly file: FileShape;
  /** Only for files with pages. */
  readonly pages?: readonly number[];
  readonly highlight: HighlightShape | null;
}

export interface HighlightShape {
  readonly type: 'text';
  readonly content: string;
  /** What it covers on the pages; clients of the hosted service ignore it. */
  readonly regions: readonly PageRegion[];
}

export interface CitationShape {
  /** In code points of the content, as clients count in most languages. */
  readonly position: number;
  readonly references: readonly ReferenceShape[];
}

export interface CitationOptions {
  /** Returns the file of an id; deleted files are no longer cited. */
  readonly fileOf: (fileId: string) => FileShape | undefined;
  /** Null where none are asked for. */
  readonly highlightOf: (passage: Passage) => HighlightShape | null;
}

export function citationsOf({ content, quotes }: Answer, options: CitationOptions): CitationShape[] {
  return quotes
    .map(({ position, passages }) => citationAt(characterPosition(content, position), passages, options))
    .filter((citation) => citation !== null);
}

/** Null when all files of the passages are gone. @param position in code points */
export function citationAt(
  position: number,
  passages: readonly Passage[],
  options: CitationOptions,
): CitationShape | null {
  const references = passages.flatMap((passage) => referencesOf(passage, options));
  return references.length === 0 ? null : { position, references };
}

function referencesOf(passage: Passage, { fileOf, highlightOf }: CitationOptions): ReferenceShape[] {
  const file = fileOf(passage.chunk.fileId);
  if (file === undefined) return [];
  const pages = pagesOf(passage);
  return [{ file, ...(pages.length > 0 && { pages }), highlight: highlightOf(passage) }];
}

/** Converts a position in UTF-16 units into code points. */
export function characterPosition(content: string, position: number): number {
  return [...content.slice(0, position)].length;
}
