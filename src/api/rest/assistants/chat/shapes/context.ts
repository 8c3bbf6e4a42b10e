// The shape of context replies: snippets of text and pictures with their file and pages.
import { Buffer } from 'node:buffer';
import type { ContextSnippet, DocumentType } from '../../../../../app/assistants/chat/chat-service.ts';
import type { PageImage } from '../../../../../app/assistants/files/page-images.ts';
import type { UsageShape } from './chat.ts';
import type { FileShape } from './citations.ts';

/**
 * Clients know these five types and fail on others, so other types are shown as text. Only `pdf` and `doc_x` have pages,
 * so slides and other documents with pages are shown as the latter.
 */
const REFERENCE_TYPES = {
  pdf: 'pdf',
  docx: 'doc_x',
  pptx: 'doc_x',
  odt: 'doc_x',
  rtf: 'doc_x',
  xlsx: 'text',
  epub: 'text',
  markdown: 'markdown',
  json: 'json',
  text: 'text',
  html: 'text',
  csv: 'text',
  eml: 'text',
} as const satisfies Record<DocumentType, string>;

export interface Snippet extends Omit<ContextSnippet, 'file'> {
  readonly file: FileShape;
}

export interface SnippetOptions {
  /** Whether pictures are sent whole or only as captions. */
  readonly binary: boolean;
}

export function snippetShape(snippet: Snippet, { binary }: SnippetOptions): object {
  const { content, score, type, file, pages, images } = snippet;
  const shown = REFERENCE_TYPES[type];
  const paged = shown === 'pdf' || shown === 'doc_x';
  const reference = { type: shown, file, ...(paged && { pages }) };
  if (images.length === 0) return { type: 'text', content, score, reference };
  const blocks = [{ type: 'text', text: content }, ...images.map((image) => imageBlock(image, binary))];
  return { type: 'multimodal', content: blocks, score, reference };
}

function imageBlock({ caption, mimeType, bytes }: PageImage, binary: boolean): object {
  const data = { type: 'base64', mime_type: mimeType, data: Buffer.from(bytes).toString('base64') };
  return { type: 'image', caption, image: binary ? data : null };
}

/** @param snippets from `snippetShape`, the best first */
export function contextBody(id: string, snippets: readonly object[], usage: UsageShape): object {
  return { id, snippets, usage };
}
