// Turns found snippets into texts with their files and pictures.

import type { DocumentType } from '../../../documents/port.ts';
import type { AssistantFile } from '../../../domain/assistants/file.ts';
import type { FoundChunk } from '../chunks/found-chunk.ts';
import type { PageImage, PageImages } from '../files/page-images.ts';
import { joined } from '../retrieval/join-chunks.ts';
import type { Retrieved } from '../retrieval/retriever.ts';
import type { SourcedChunk } from './chat-provider.ts';
import type { PictureDetail } from './chat-service.ts';

/** Limits per question. Models take few pictures, and each costs about a thousand tokens. */
const IMAGES_MAX = 16;
const IMAGE_BYTES_MAX = 8 * 1024 * 1024;

export interface FoundText extends FoundChunk {
  readonly score: number;
  readonly type: DocumentType;
  /** Version of the parser that read the file; null where it is not known. */
  readonly parser: number | null;
  readonly file: AssistantFile;
  readonly pages: readonly number[];
  readonly images: readonly PageImage[];
  /** Set for what was computed over the tables of the file. */
  readonly isComputed?: true;
}

/** Best first. Omits snippets of deleted files. */
export function foundTexts({ snippets, files }: Retrieved): FoundText[] {
  return snippets.flatMap((snippet) => {
    const chunk = joined(snippet);
    const live = files.get(chunk.revisionId);
    if (live === undefined) return [];
    // Only ingestion stores it, from a parsed document.
    const type = (live.processing?.type ?? 'text') as DocumentType;
    const pages = [...new Set((chunk.pageStarts ?? []).map(({ page }) => page))];
    const parser = live.processing?.parser ?? null;
    return [{ ...chunk, score: snippet.score, type, parser, file: live.file, pages, images: [] }];
  });
}

export function sourcedChunk(found: FoundText, pictures: PictureDetail): SourcedChunk {
  const { file, number, text, start, headings, tokens, pageStarts, type } = found;
  const images =
    pictures === 'captions' ? found.images.map(({ page, caption }) => ({ page, caption })) : found.images;
  const place = { fileId: file.id, fileName: file.name, number, text, start, headings, type };
  return {
    ...place,
    tokens,
    images,
    ...(pageStarts !== undefined && { pageStarts }),
    ...(found.isComputed && { isComputed: true }),
  };
}

/** Adds pictures: each page once, to the best of its snippets, within the limits. */
export async function withImages(
  found: readonly FoundText[],
  source: PageImages,
  signal: AbortSignal,
): Promise<readonly FoundText[]> {
  const seen = new Set<string>();
  const room = new PictureBudget();
  const shown: FoundText[] = [];
  for (const each of found) {
    const { file, revisionId } = each;
    const pages = each.pages.filter((page) => !seen.has(`${revisionId} ${page}`));
    for (const page of pages) seen.add(`${revisionId} ${page}`);
    const isAsked = file.multimodal && pages.length > 0 && !room.isFull;
    const images = isAsked
      ? await source.of({ assistantId: file.assistantId, revisionId, pages }, signal)
      : [];
    shown.push({ ...each, images: images.filter((image) => room.takes(image)) });
  }
  return shown;
}

class PictureBudget {
  #count = 0;
  #bytes = 0;

  get isFull(): boolean {
    return this.#count >= IMAGES_MAX;
  }

  takes({ bytes: { byteLength } }: PageImage): boolean {
    if (this.isFull || this.#bytes + byteLength > IMAGE_BYTES_MAX) return false;
    this.#count++;
    this.#bytes += byteLength;
    return true;
  }
}
