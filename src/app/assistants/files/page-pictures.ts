// Reads the pictures of pages for answers and snippets, within limits.

import { BlobMissing, type Blobs } from '../../../blobs/port.ts';
import type { PageImage, PageImages, RequestedPages } from './page-images.ts';
import { type KeptPicture, PictureStore } from './picture-store.ts';

/** Limits of one call. */
const PICTURES_MAX = 16;
const BYTES_MAX = 16_000_000;

export function pagePictures(blobs: Pick<Blobs, 'get' | 'put'>): PageImages {
  return { of: (requested, signal) => picturesOf(blobs, requested, signal) };
}

async function picturesOf(
  blobs: Pick<Blobs, 'get' | 'put'>,
  { assistantId, revisionId, pages }: RequestedPages,
  signal: AbortSignal,
): Promise<readonly PageImage[]> {
  const store = new PictureStore(blobs, { assistantId, id: revisionId });
  const list = await store.list();
  const images: PageImage[] = [];
  for (const picture of fitting(list?.pictures ?? [], new Set(pages))) {
    signal.throwIfAborted();
    try {
      const { page, caption, mimeType } = picture;
      images.push({ page, caption, mimeType, bytes: await store.bytes(picture) });
    } catch (error) {
      // The file was replaced or deleted meanwhile.
      if (!(error instanceof BlobMissing)) throw error;
    }
  }
  return images;
}

function fitting(pictures: readonly KeptPicture[], pages: ReadonlySet<number>): readonly KeptPicture[] {
  let room = BYTES_MAX;
  return pictures
    .filter(({ page }) => pages.has(page))
    .slice(0, PICTURES_MAX)
    .filter(({ bytes }) => {
      room -= bytes;
      return room >= 0;
    });
}
