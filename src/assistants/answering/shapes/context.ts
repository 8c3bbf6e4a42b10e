// The shape of context replies: snippets of text with the file and the pages they are from.
import type { DocumentType } from '../../../documents/document-model.ts';
import type { UsageShape } from './chat.ts';
import type { FileShape } from './citations.ts';

/** Clients know these five and throw on any other, so the types that they do not know pass for text. */
const REFERENCE_TYPES = {
  pdf: 'pdf',
  docx: 'doc_x',
  markdown: 'markdown',
  json: 'json',
  text: 'text',
  html: 'text',
  csv: 'text',
} as const satisfies Record<DocumentType, string>;

export interface Snippet {
  readonly content: string;
  /** Higher is better. */
  readonly score: number;
  readonly type: DocumentType;
  readonly file: FileShape;
  /** Of PDF and DOCX files, where known. */
  readonly pages: readonly number[];
}

export function snippetShape({ content, score, type, file, pages }: Snippet): object {
  const paged = type === 'pdf' || type === 'docx';
  const reference = { type: REFERENCE_TYPES[type], file, ...(paged && { pages }) };
  return { type: 'text', content, score, reference };
}

/** @param snippets the best first */
export function contextBody(id: string, snippets: readonly Snippet[], usage: UsageShape): object {
  return { id, snippets: snippets.map(snippetShape), usage };
}
