// Where an import's files lie: listed once, then read in ranges.
import type { FileBytes } from '../file-bytes.ts';

export interface SourceFile {
  /** Below the folder of the import, parts joined by slashes. */
  readonly path: string;
  readonly bytes: number;
  /** Another one whenever the content may be another. */
  readonly version: string;
}

export interface OpenFile extends FileBytes {
  close(): Promise<void>;
}

export interface Source {
  /** Every file, in bytewise order of paths. @throws SourceProblem, SourceUnavailable */
  list(): Promise<readonly SourceFile[]>;
  /** @throws SourceProblem when it has changed since it was listed; SourceUnavailable */
  open(file: SourceFile): Promise<OpenFile>;
  close(): Promise<void>;
}

/** What is there cannot be imported, however often one tries. The message is for the import's owner. */
export class SourceProblem extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'SourceProblem';
  }
}

/** The storage does not answer now. */
export class SourceUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'SourceUnavailable';
  }
}

export const FILES_MAX = 100_000;
const GIGABYTE = 1024 ** 3;
const TERABYTE = 1024 ** 4;
export const FILE_BYTES_MAX = 10 * GIGABYTE;
export const SOURCE_BYTES_MAX = TERABYTE;

/** Bytewise order of paths; the files within their bounds. @throws SourceProblem */
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
