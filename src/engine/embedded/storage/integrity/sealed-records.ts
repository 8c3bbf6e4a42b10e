// The checksums of the pages of `records.mdb`, in a file beside it: verified before the index opens, and extended when
// commits have been made since.
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { replaceFile } from '../../../../platform/durable-files.ts';
import { assertNotOlder, keepLastCommit } from './last-commit.ts';
import { PageFile } from './page-file.ts';
import { PageSums } from './page-sums.ts';
import { scanAll, scanPages } from './scan-pages.ts';

export const RECORDS = 'records.mdb';
export const SUMS = 'records.sums';

export class SealedRecords {
  readonly #folder: string;
  #sums: PageSums | null;
  /** False when the file has other sums than these, or none. */
  #isSaved: boolean;

  private constructor(folder: string, sums: PageSums | null, isSaved: boolean) {
    this.#folder = folder;
    this.#sums = sums;
    this.#isSaved = isSaved;
  }

  /** For an index that is being created. */
  static fresh(folder: string): SealedRecords {
    return new SealedRecords(folder, null, false);
  }

  /** Verifies all pages in use. Call before LMDB opens the file. @throws FileDamage */
  static verify(folder: string): SealedRecords {
    const known = readSums(folder);
    const file = PageFile.open(join(folder, RECORDS));
    try {
      const { sums } = scanAll(file, { sums: known });
      assertNotOlder(folder, join(folder, RECORDS), sums.txnId);
      return new SealedRecords(folder, sums, known !== null && known.txnId === sums.txnId);
    } finally {
      file.close();
    }
  }

  /** Whether nothing was committed since the sums were saved. @throws FileDamage */
  isCurrent(): boolean {
    const file = PageFile.open(join(this.#folder, RECORDS));
    try {
      return this.#isCurrent(file);
    } finally {
      file.close();
    }
  }

  /**
   * Visits what was written since the last call, and saves the sums. Between its yields others may commit, if a
   * transaction keeps the pages of the present commit from being reused.
   * @throws FileDamage
   */
  *seal(): Generator<number, void> {
    const file = PageFile.open(join(this.#folder, RECORDS));
    try {
      if (this.#isCurrent(file)) return;
      const { sums } = yield* scanPages(file, { sums: this.#sums, isIncremental: true });
      replaceFile(join(this.#folder, SUMS), sums.encode(basename(this.#folder)));
      keepLastCommit(this.#folder, sums.txnId);
      this.#sums = sums;
      this.#isSaved = true;
    } finally {
      file.close();
    }
  }

  #isCurrent({ meta }: PageFile): boolean {
    return this.#isSaved && this.#sums?.txnId === meta.txnId;
  }
}

/** @returns null when the file is missing or unusable: the structure is checked then, and sums are made anew */
export function readSums(folder: string): PageSums | null {
  const path = join(folder, SUMS);
  if (!existsSync(path)) return null;
  try {
    return PageSums.decode(readFileSync(path), basename(folder));
  } catch {
    return null;
  }
}
