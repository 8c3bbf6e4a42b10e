// The pictures of a file's pages, as they are taken out of it.

export interface Picture {
  /** From 1: the first page that shows it. */
  readonly page: number;
  /** What the page itself says of it: its caption, else the nearest text; empty where the page has no text. */
  readonly caption: string;
  /** Of the page, its beginning: what a model that describes the picture is told. */
  readonly pageText: string;
  readonly width: number;
  readonly height: number;
  /** A PNG file. */
  readonly bytes: Uint8Array;
}

export const PICTURE_MIME_TYPE = 'image/png';

/** Pictures of some pages in a row. */
export interface PictureBatch {
  readonly pictures: readonly Picture[];
  /** Where to go on; null behind the last page. */
  readonly nextPage: number | null;
}

/** What a model says that a picture shows, to be read with the text of its page. */
export interface PictureText {
  readonly page: number;
  readonly text: string;
}

/** Goes up when the same file would give other pictures than before. */
export const PICTURES_VERSION = 1;

/** Smaller ones are icons, bullets and rules. */
export const PICTURE_SIDE_PIXELS_MIN = 32;
/** Of the page, in points: what is drawn smaller than a thumbnail is decoration. */
export const PICTURE_SIDE_POINTS_MIN = 24;
/** Larger ones are shrunk to this: what models that look at pictures do as well. */
export const PICTURE_SIDE_PIXELS_MAX = 1_536;
/** Of one picture in the file; larger ones are left out before memory is taken for them. */
export const PICTURE_PIXELS_MAX = 36_000_000;
export const PICTURES_A_PAGE_MAX = 20;
export const PICTURES_A_FILE_MAX = 400;
/** A batch ends with the page that passes this; a page adds `PICTURES_A_PAGE_MAX` pictures at most. */
export const BATCH_BYTES = 8 * 2 ** 20;
export const PAGE_TEXT_CHARACTERS_MAX = 2_000;
export const CAPTION_CHARACTERS_MAX = 300;
