// The blob port: whole files under names, for what is too big for the catalog. Every implementation passes conformance/.

export interface BlobDetails {
  readonly key: string;
  readonly bytes: number;
  /** ISO time. */
  readonly modifiedAt: string;
}

export interface PutOptions {
  /** Refuses when the key is taken. */
  readonly ifAbsent?: boolean;
  readonly signal?: AbortSignal;
}

/** Byte positions, inclusive. */
export interface BlobRange {
  readonly first: number;
  /** Absent: to the end. */
  readonly last?: number;
}

export interface BlobPage {
  /** In bytewise order of their keys. */
  readonly items: readonly BlobDetails[];
  /** The `list` cursor of the next page; null on the last page. */
  readonly next: string | null;
}

/** Every operation throws BlobKeyInvalid for a bad key, and BlobsUnavailable when the storage fails. */
export interface Blobs {
  /**
   * Stores all of `content` or nothing; replaces an existing blob. Durable when it resolves. Consumes each piece before it
   * requests the next.
   * @throws BlobExists with `ifAbsent`; what `content` throws; the signal's reason
   */
  put(
    key: string,
    content: AsyncIterable<Uint8Array>,
    options?: PutOptions,
  ): Promise<{ readonly bytes: number }>;
  /**
   * Reads a blob as it was at the start of the read, or fails. Leaving the loop early releases everything.
   * A range that begins beyond the end is empty.
   * @throws BlobMissing at the first step
   */
  get(key: string, range?: BlobRange): AsyncIterable<Uint8Array>;
  /** Null when there is none. */
  head(key: string): Promise<BlobDetails | null>;
  /**
   * Blobs whose keys start with `prefix`, a page at a time; `cursor` is the `next` of the page before, null at first. In
   * storage that others use, too, their files are among them, and may have names that no operation takes as keys.
   */
  list(prefix: string, cursor: string | null, limit?: number): Promise<BlobPage>;
  /** No effect when there is none. */
  delete(key: string): Promise<void>;
  close(): Promise<void>;
}

/** The default and maximum page size of a list. */
export const BLOB_PAGE_MAX = 1_000;

export class BlobMissing extends Error {
  constructor(key: string) {
    super(`There is no blob ${key}.`);
    this.name = 'BlobMissing';
  }
}

export class BlobExists extends Error {
  constructor(key: string) {
    super(`The blob ${key} exists.`);
    this.name = 'BlobExists';
  }
}

export class BlobKeyInvalid extends Error {
  constructor(reason: string) {
    super(`A blob key ${reason}.`);
    this.name = 'BlobKeyInvalid';
  }
}

/** The storage refuses, fails or does not answer, even after retries. The message is for people. */
export class BlobsUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'BlobsUnavailable';
  }
}
