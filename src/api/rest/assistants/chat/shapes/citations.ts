// The shape of citations in chat replies: where in the answer, which file, which pages.
import { type Answer, type Passage, pagesOf } from '../../../../../app/assistants/chat/answer-model.ts';

/** A file as the interface describes it; passed through as it is. */
export type FileShape = Readonly<Record<string, unknown>>;

export interface ReferenceShape {
  readonly file: FileShape;
  /** Only of files with pages. */
  readonly pages?: readonly number[];
  readonly highlight: { readonly type: 'text'; readonly content: string } | null;
}

export interface CitationShape {
  /** In characters (code points) of the content, for clients count so in most languages. */
  readonly position: number;
  readonly references: readonly ReferenceShape[];
}

export interface CitationOptions {
  /** The file of an id; a file that is gone by now is cited no more. */
  readonly fileOf: (fileId: string) => FileShape | undefined;
  readonly highlights: boolean;
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

function referencesOf(passage: Passage, { fileOf, highlights }: CitationOptions): ReferenceShape[] {
  const file = fileOf(passage.chunk.fileId);
  if (file === undefined) return [];
  const pages = pagesOf(passage);
  const highlight = highlights ? ({ type: 'text', content: passage.text } as const) : null;
  return [{ file, ...(pages.length > 0 && { pages }), highlight }];
}

/** A place in UTF-16 units as a place in code points. */
export function characterPosition(content: string, position: number): number {
  return [...content.slice(0, position)].length;
}
