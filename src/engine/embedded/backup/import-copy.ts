// Creates the folder of an index from the chunks of a copy: in a temporary place first, and renamed once complete.

import { existsSync, mkdirSync, renameSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fault } from '../../../domain/faults.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { syncFolder } from '../../../platform/durable-files.ts';
import type { CopyDetails } from '../../port/index-copies.ts';
import { closeFiles, type IndexFiles, openForWriting, ROWS, removeFolder } from '../storage/index-files.ts';
import { type CopyHead, parseEnd, parseHead } from './copy-head.ts';
import { damaged, type Frame, FrameReader, Kind } from './frames.ts';
import { ImportedFile } from './import-file.ts';
import { RowImporter } from './import-rows.ts';
import { TableImporter } from './import-tables.ts';
import { DERIVED_FOLDER } from './open-derived-files.ts';
import { SteadySync } from './steady-sync.ts';

/** Disk space that imports leave free for records. */
const SPARE_BYTES = 64 * 2 ** 20;

/** The order of the parts of a copy. */
const RANKS: Readonly<Record<number, number>> = {
  [Kind.head]: 1,
  [Kind.table]: 2,
  [Kind.rows]: 3,
  [Kind.file]: 4,
  [Kind.content]: 4,
  [Kind.end]: 5,
};

export class CopyImporter {
  readonly #profile: IndexProfile;
  readonly #folder: string;
  readonly #seqAhead: number;
  readonly #files: IndexFiles;
  readonly #reader = new FrameReader();
  readonly #tables: TableImporter;
  #head: CopyHead | null = null;
  readonly #rowSync: SteadySync;
  #rows: RowImporter | null = null;
  #file: ImportedFile | null = null;
  /** Files that are still being closed. */
  readonly #closing: Promise<void>[] = [];
  #fileCount = 0;
  #rank = 0;
  #isClosed = false;

  /**
   * @param folder temporary place; its content is removed
   * @param seqAhead how far the sequence number is ahead of the copy's
   */
  constructor(profile: IndexProfile, folder: string, seqAhead = 0) {
    this.#seqAhead = seqAhead;
    this.#profile = profile;
    this.#folder = folder;
    removeFolder(folder);
    this.#files = openForWriting(folder, profile.dimension, { indexId: profile.id });
    mkdirSync(join(folder, DERIVED_FOLDER), { mode: 0o700 });
    this.#tables = new TableImporter(this.#files.store);
    this.#rowSync = new SteadySync(join(folder, ROWS), () => this.#files.rowFile?.sync());
  }

  /** @throws CopyFailed, storage-full, or the system's error */
  write(chunk: Uint8Array): void {
    assertSpace(this.#folder, chunk.length);
    for (const frame of this.#reader.read(chunk)) this.#takeFrame(frame);
  }

  /**
   * Call after the last chunk: moves the index to its final place; durable when it resolves.
   * @param sha256 expected checksum of all chunks together; null for none
   * @throws as `write`
   */
  async finish(folder: string, sha256: string | null = null): Promise<CopyDetails> {
    if (this.#head === null || this.#rank !== RANKS[Kind.end] || this.#reader.isWithinFrame)
      throw damaged('its end frame is missing');
    if (sha256 !== null && this.#reader.sha256() !== sha256)
      throw damaged('its checksum is not the expected one');
    await this.#close();
    place(this.#folder, folder);
    const { seq, recordCount, namespaceCount, sizeBytes } = this.#head;
    return { seq: seq + this.#seqAhead, recordCount, namespaceCount, sizeBytes };
  }

  /** Removes what was written: instead of `finish`, or after it failed. */
  async abandon(): Promise<void> {
    if (this.#file !== null) this.#closing.push(this.#file.close());
    await this.#close().catch(() => undefined);
    removeFolder(this.#folder);
  }

  /** Closing a descriptor twice would close a file that was opened since. */
  async #close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.all([...this.#closing, this.#rowSync.close()]);
    await closeFiles(this.#files);
  }

  #takeFrame({ kind, label, payload }: Frame): void {
    const rank = RANKS[kind] ?? 0;
    const isFirst = this.#rank === 0;
    const isInOrder = isFirst ? kind === Kind.head : rank >= this.#rank && kind !== Kind.head;
    if (!isInOrder || this.#rank === RANKS[Kind.end]) throw damaged('its parts are not in order');
    this.#rank = rank;
    switch (kind) {
      case Kind.head:
        this.#head = parseHead(payload, this.#profile);
        break;
      case Kind.table:
        this.#tables.take({ kind, label, payload });
        break;
      case Kind.rows:
        this.#rowTaker().take(payload);
        break;
      case Kind.file:
        this.#endFile();
        this.#file = new ImportedFile(join(this.#folder, DERIVED_FOLDER), payload);
        this.#fileCount++;
        break;
      case Kind.content:
        if (this.#file === null) throw damaged('content comes before its file');
        this.#file.write(payload);
        break;
      case Kind.end:
        this.#end(payload);
        break;
    }
  }

  #end(payload: Buffer): void {
    this.#endFile();
    const rows = this.#rowTaker();
    rows.finish();
    const end = parseEnd(payload);
    // The end frame itself is counted already.
    if (end.frames !== this.#reader.count - 1) throw damaged('frames are missing');
    if (end.rows !== this.#tables.rows.size) throw damaged('rows are missing');
    if (end.files !== this.#fileCount) throw damaged('files are missing');
  }

  /** The importer of rows starts after the last table. */
  #rowTaker(): RowImporter {
    if (this.#rows !== null) return this.#rows;
    if (this.#head === null) throw damaged('its head frame is missing');
    this.#tables.finish(this.#head, this.#seqAhead);
    const rowBytes = (this.#profile.dimension ?? 0) * Float32Array.BYTES_PER_ELEMENT;
    const { rowFile } = this.#files;
    this.#rows = new RowImporter({ rowFile, sync: this.#rowSync, rowBytes, rows: this.#tables.rows });
    return this.#rows;
  }

  #endFile(): void {
    const file = this.#file;
    this.#file = null;
    if (file === null) return;
    try {
      file.finish();
    } finally {
      this.#closing.push(file.close());
    }
  }
}

/** Moves a whole index to its final place; durable when it returns. */
export function place(aside: string, folder: string): void {
  for (const path of [join(aside, DERIVED_FOLDER), aside]) syncFolder(path);
  if (existsSync(folder)) throw new Error('the index to be made from a copy exists already');
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  renameSync(aside, folder);
  for (const path of [dirname(folder), dirname(aside)]) syncFolder(path);
}

/** Rejects an import that would fill the disk, which would stop writes to other indexes. */
export function assertSpace(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < bytes + SPARE_BYTES)
    throw fault('storage-full', { reason: 'too little disk space for a copy' });
}
