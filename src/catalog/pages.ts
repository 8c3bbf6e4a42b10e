// The catalog as the pages of its file, for those who keep a copy elsewhere.

/** All pages, or those that have changed since an earlier look. */
export interface CatalogPages {
  /** To be passed to the next look, with `sums`. */
  readonly version: number;
  /** A digest of each page, in their order. */
  readonly sums: Uint8Array;
  readonly pageBytes: number;
  /** How many the file has. */
  readonly pageCount: number;
  /** The numbers of the changed ones, from 0 on, rising. */
  readonly changed: readonly number[];
  /** These pages, one after the other. */
  readonly bytes: Uint8Array;
  /** Of the whole file, in hexadecimal. */
  readonly sha256: string;
}

/** @param known what the look before returned; null for all pages. @returns null where nothing has changed since */
export type ReadCatalogPages = (
  known: Pick<CatalogPages, 'version' | 'sums'> | null,
) => Promise<CatalogPages | null>;
