// The blob port: whole files under names, for what is too big for the catalog. Implementations are held to contract-suite.ts.

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

/** Byte positions, both included. */
export interface BlobRange {
  readonly first: number;
  /** Absent: to the end. */
  readonly last?: number;
}

export interface BlobPage {
  /** In bytewise order of their keys. */
  readonly items: readonly BlobDetails[];
  /** Where the next page starts, for `list`; null when this is the last. */
  readonly next: string | null;
}

/** Every operation throws BlobKeyInvalid for a bad key, and BlobsUnavailable when the storage fails. */
export interface Blobs {
  /**
   * Stores all of `content` or nothing; replaces what has the key. Durable when it resolves. Each piece is used up before the
   * next one is asked for.
   * @throws BlobExists with `ifAbsent`; what `content` throws; the signal's reason
   */
  put(
    key: string,
    content: AsyncIterable<Uint8Array>,
    options?: PutOptions,
  ): Promise<{ readonly bytes: number }>;
  /**
   * Reads a blob as it was when the reading began, or fails. Leaving the loop early releases everything.
   * A range that begins behind the end is empty.
   * @throws BlobMissing at the first step
   */
  get(key: string, range?: BlobRange): AsyncIterable<Uint8Array>;
  /** Null when there is none. */
  head(key: string): Promise<BlobDetails | null>;
  /** Blobs whose keys start with `prefix`, a page at a time; `cursor` is the `next` of the page before, null at first. */
  list(prefix: string, cursor: string | null, limit?: number): Promise<BlobPage>;
  /** No effect when there is none. */
  delete(key: string): Promise<void>;
  close(): Promise<void>;
}

/** The longest page of a list, and the usual one. */
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

/** The storage refuses, fails or does not answer, and trying again did not help. The message is for people. */
export class BlobsUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'BlobsUnavailable';
  }
}
