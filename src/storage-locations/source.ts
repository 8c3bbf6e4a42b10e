// The source of an import: its files are listed once, then read in ranges.

export interface SourceFile {
  /** Path relative to the folder of the import, with slashes. */
  readonly path: string;
  readonly bytes: number;
  /** Changes whenever the content may have changed. */
  readonly version: string;
}

export interface OpenFile {
  /** In bytes. */
  readonly size: number;
  /** Exactly the bytes from `start` up to, not including, `end`. @throws SourceProblem, SourceUnavailable */
  read(start: number, end: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

export interface Source {
  /** Lists all files in bytewise order of their paths. @throws SourceProblem, SourceUnavailable */
  list(): Promise<readonly SourceFile[]>;
  /** Opens a file. @throws SourceProblem when it has changed since it was listed; SourceUnavailable */
  open(file: SourceFile): Promise<OpenFile>;
  close(): Promise<void>;
}

/** A lasting problem: retries would fail, too. The message is for the owner of the import. */
export class SourceProblem extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'SourceProblem';
  }
}

/** A transient problem: the storage is unavailable now. */
export class SourceUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'SourceUnavailable';
  }
}

export const FILES_MAX = 200_000;
const GIGABYTE = 1024 ** 3;
const TERABYTE = 1024 ** 4;
export const FILE_BYTES_MAX = 10 * GIGABYTE;
export const SOURCE_BYTES_MAX = TERABYTE;

/** Sorts files by path, bytewise, and checks their limits. @throws SourceProblem */
export function checkedFiles(files: readonly SourceFile[]): readonly SourceFile[] {
  if (files.length > FILES_MAX) throw new SourceProblem(`There are more than ${FILES_MAX} files.`);
  let total = 0;
  for (const { path, bytes } of files) {
    if (bytes > FILE_BYTES_MAX)
      throw new SourceProblem(`File ${path} is larger than ${FILE_BYTES_MAX / GIGABYTE} GB.`);
    total += bytes;
  }
  if (total > SOURCE_BYTES_MAX)
    throw new SourceProblem(`The files are larger than ${SOURCE_BYTES_MAX / TERABYTE} TB together.`);
  return files.toSorted((one, other) => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)));
}
