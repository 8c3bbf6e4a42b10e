// The model of pictures that are extracted from the pages of a file.

export interface Picture {
  /** The first page that shows it, from 1. */
  readonly page: number;
  /** Its caption, else the nearest text; empty where the page has no text. */
  readonly caption: string;
  /** The beginning of the page's text, as context for the model that describes the picture. */
  readonly pageText: string;
  readonly width: number;
  readonly height: number;
  /** A PNG file. */
  readonly bytes: Uint8Array;
}

export const PICTURE_MIME_TYPE = 'image/png';

/** The pictures of consecutive pages. */
export interface PictureBatch {
  readonly pictures: readonly Picture[];
  /** Where the next batch starts; null after the last page. */
  readonly nextPage: number | null;
}

/** A model's description of a picture, which becomes part of the text of its page. */
export interface PictureText {
  readonly page: number;
  readonly text: string;
}

/** Incremented whenever the same file would give different pictures. */
export const PICTURES_VERSION = 1;

/** Smaller ones are icons, bullets and rules. */
export const PICTURE_SIDE_PIXELS_MIN = 32;
/** On the page, in points. A picture drawn smaller than a thumbnail is decoration. */
export const PICTURE_SIDE_POINTS_MIN = 24;
/** Larger pictures are shrunk to this size, as vision models do anyway. */
export const PICTURE_SIDE_PIXELS_MAX = 1_536;
/** Of pictures of pages that are read: a sheet of A4 with 300 dots an inch. */
export const SCAN_SIDE_PIXELS_MAX = 3_508;
/** Of one picture in the file. Larger ones are skipped before memory is allocated for them. */
export const PICTURE_PIXELS_MAX = 36_000_000;
export const PICTURES_A_PAGE_MAX = 20;
export const PICTURES_A_FILE_MAX = 400;
/** A batch ends with the page that exceeds this; each page adds at most `PICTURES_A_PAGE_MAX` pictures. */
export const BATCH_BYTES = 8 * 2 ** 20;
export const PAGE_TEXT_CHARACTERS_MAX = 2_000;
export const CAPTION_CHARACTERS_MAX = 300;
