// The derived files that belong to a snapshot of the records: kept open, so that they stay readable when replaced.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseOwnJson } from '../../../domain/json.ts';
import { changedSeqOf } from '../indexing/derived-ledger.ts';
import { SnapshotFile } from '../storage/derived-files/snapshot-file.ts';
import type { DerivedRow } from '../storage/derived-table.ts';

/** Where they lie in the folder of an index. */
export const DERIVED_FOLDER = 'derived';
/** Files kept open and exported at most; other namespaces are rebuilt after an import. */
const FILES_MAX = 1_000;

export interface OpenDerivedFile {
  /** Within DERIVED_FOLDER. */
  readonly name: string;
  readonly file: SnapshotFile;
}

export class OpenDerivedFiles {
  /** Ledger rows by namespace id, of those namespaces all of whose files are open. */
  readonly rows: ReadonlyMap<number, DerivedRow>;
  readonly files: readonly OpenDerivedFile[];
  /** False when a file of the ledger was missing. */
  readonly isComplete: boolean;

  private constructor(
    rows: ReadonlyMap<number, DerivedRow>,
    files: readonly OpenDerivedFile[],
    rowCount: number,
  ) {
    this.rows = rows;
    this.files = files;
    this.isComplete = rows.size === rowCount;
  }

  /** @param rows the ledger of the snapshot */
  static open(indexFolder: string, rows: ReadonlyMap<number, DerivedRow>): OpenDerivedFiles {
    const folder = join(indexFolder, DERIVED_FOLDER);
    const byTag = new Map<string, OpenDerivedFile>();
    if (rows.size > 0) for (const [tag, held] of openAll(folder)) byTag.set(tag, held);
    const kept = new Map<number, DerivedRow>();
    const used = new Set<OpenDerivedFile>();
    for (const [namespaceId, row] of rows) {
      const found = row.segments.map(({ tags }) => tags.flatMap((tag) => byTag.get(tag) ?? [])[0]);
      if (found.some((file) => file === undefined)) continue;
      kept.set(namespaceId, row);
      for (const file of found) if (file !== undefined) used.add(file);
    }
    for (const held of byTag.values()) if (!used.has(held)) held.file.close();
    return new OpenDerivedFiles(kept, [...used], rows.size);
  }

  /** Number of the first change log entry that the files need; null for none. */
  get changesFrom(): number | null {
    const seqs = [...this.rows.values()].flatMap((row) => changedSeqOf(row) ?? []);
    return seqs.length === 0 ? null : seqs.reduce((least, seq) => Math.min(least, seq));
  }

  get bytes(): number {
    return this.files.reduce((sum, { file }) => sum + file.preamble.fileBytes, 0);
  }

  close(): void {
    for (const { file } of this.files) file.close();
  }
}

/** The readable files, with their tags. Others count as missing. */
function openAll(folder: string): readonly (readonly [tag: string, held: OpenDerivedFile])[] {
  const opened: (readonly [string, OpenDerivedFile])[] = [];
  for (const name of readdirSync(folder)) {
    if (opened.length === FILES_MAX) break;
    try {
      const file = new SnapshotFile(join(folder, name));
      opened.push([tagOf(file), { name, file }]);
    } catch {
      // Being written, damaged, or just replaced.
    }
  }
  return opened;
}

function tagOf(file: SnapshotFile): string {
  try {
    const { header } = parseOwnJson<{ readonly header: { readonly tag: string } }>(file.head());
    return header.tag;
  } catch (error) {
    file.close();
    throw error;
  }
}
