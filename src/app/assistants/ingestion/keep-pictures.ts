// Extracts and stores the pictures of a multimodal file, each once, with descriptions.
import { createHash } from 'node:crypto';
import type { Blobs } from '../../../blobs/port.ts';
import type { DocumentInput, DocumentParser } from '../../../documents/port.ts';
import {
  PICTURE_MIME_TYPE,
  PICTURES_A_FILE_MAX,
  PICTURES_VERSION,
  type Picture,
  type PictureText,
} from '../../../documents/port.ts';
import type { FileRevision } from '../../../domain/assistants/file.ts';
import { MULTIMODAL_PAGES_MAX } from '../../../domain/assistants/limits.ts';
import { Fault } from '../../../domain/faults.ts';
import { retryWhileOverloaded } from '../../../jobs/retry-while-overloaded.ts';
import { type KeptPicture, type PictureList, PictureStore } from '../files/picture-store.ts';
import type { PictureDescriber } from './picture-describer.ts';

/** Pictures described in parallel. */
const DESCRIBED_AT_ONCE = 4;
const DESCRIPTION_CHARACTERS_MAX = 8_000;

export interface PictureParts {
  readonly blobs: Pick<Blobs, 'get' | 'put'>;
  readonly parser: Pick<DocumentParser, 'pictures'>;
  /** Null when no model reads pictures: then captions come from the pages. */
  readonly describer?: PictureDescriber | null | undefined;
}

/**
 * Resumes after the last stored batch, so that no picture is described twice.
 * @returns the model's descriptions, to be searched with the pages
 * @throws DocumentRefusal; chat-unavailable; the signal's reason
 */
export async function keepPictures(
  parts: PictureParts,
  revision: FileRevision,
  { input, signal }: { readonly input: DocumentInput; readonly signal: AbortSignal },
): Promise<readonly PictureText[]> {
  const { blobs, parser, describer = null } = parts;
  const store = new PictureStore(blobs, revision);
  let list = await begun(store, describer !== null);
  const seen = new Set(list.pictures.map(({ sha256 }) => sha256));
  while (list.nextPage !== null) {
    const options = { signal, pagesMax: MULTIMODAL_PAGES_MAX };
    const batch = await parser.pictures(input, list.nextPage, options);
    const room = PICTURES_A_FILE_MAX - list.pictures.length;
    const fresh = batch.pictures.filter((picture) => isNew(picture, seen)).slice(0, room);
    const kept = await keep(fresh, { store, describer, signal, from: list.pictures.length });
    const nextPage = list.pictures.length + kept.length < PICTURES_A_FILE_MAX ? batch.nextPage : null;
    list = { ...list, pictures: [...list.pictures, ...kept], nextPage };
    await store.saveList(list);
  }
  return list.pictures
    .filter(({ described }) => described)
    .map(({ page, caption }) => ({ page, text: `Picture: ${caption}` }));
}

/** Returns the stored list, unless it would now differ. Descriptions stay when the model is removed. */
async function begun(store: PictureStore, describes: boolean): Promise<PictureList> {
  const list = await store.list();
  if (list?.version === PICTURES_VERSION && (list.described || !describes)) return list;
  return { version: PICTURES_VERSION, described: describes, pictures: [], nextPage: 1 };
}

/** A repeated picture, such as a letterhead, belongs to the first page that shows it. */
function isNew({ bytes }: Picture, seen: Set<string>): boolean {
  const digest = sha256Of(bytes);
  const isFirst = !seen.has(digest);
  seen.add(digest);
  return isFirst;
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

interface Keeping {
  readonly store: PictureStore;
  readonly describer: PictureDescriber | null;
  readonly signal: AbortSignal;
  /** Number of the first picture. */
  readonly from: number;
}

async function keep(pictures: readonly Picture[], keeping: Keeping): Promise<readonly KeptPicture[]> {
  const kept: KeptPicture[] = [];
  for (let at = 0; at < pictures.length; at += DESCRIBED_AT_ONCE) {
    const some = pictures.slice(at, at + DESCRIBED_AT_ONCE);
    const numbered = some.map((picture, place) => keepOne(picture, keeping.from + at + place, keeping));
    // Waits for all of them, so that nothing of this run is still working when the next one begins.
    for (const settled of await Promise.allSettled(numbered)) {
      if (settled.status === 'rejected') throw settled.reason;
      kept.push(settled.value);
    }
  }
  return kept;
}

async function keepOne(
  { bytes, page, pageText, caption }: Picture,
  number: number,
  { store, describer, signal }: Keeping,
): Promise<KeptPicture> {
  signal.throwIfAborted();
  const picture = { mimeType: PICTURE_MIME_TYPE, bytes, pageText };
  const words = describer === null ? '' : await described(describer, picture, signal);
  await store.save({ number }, bytes);
  return {
    number,
    page,
    caption: words === '' ? caption : words,
    described: words !== '',
    mimeType: PICTURE_MIME_TYPE,
    bytes: bytes.length,
    sha256: sha256Of(bytes),
  };
}

/** A picture that the model refuses is stored without a description. */
async function described(
  describer: PictureDescriber,
  picture: Parameters<PictureDescriber['describe']>[0],
  signal: AbortSignal,
): Promise<string> {
  try {
    const words = await retryWhileOverloaded(signal, () => describer.describe(picture, signal));
    return words.slice(0, DESCRIPTION_CHARACTERS_MAX).toWellFormed().trim();
  } catch (error) {
    if (error instanceof Fault && error.condition === 'invalid-argument') return '';
    throw error;
  }
}
