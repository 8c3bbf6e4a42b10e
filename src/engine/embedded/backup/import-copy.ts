// Makes the folder of an index from the pieces of a copy: aside, and put in its place only when all of it is there.
import { existsSync, mkdirSync, renameSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fault } from '../../../domain/faults.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { CopyDetails } from '../../port/index-copies.ts';
import {
  closeFiles,
  type IndexFiles,
  openForWriting,
  ROWS,
  removeFolder,
  syncFolder,
} from '../storage/index-files.ts';
import { type CopyHead, parseEnd, parseHead } from './copy-head.ts';
import { damaged, type Frame, FrameReader, Kind } from './frames.ts';
import { ImportedFile } from './import-file.ts';
import { RowImporter } from './import-rows.ts';
import { TableImporter } from './import-tables.ts';
import { DERIVED_FOLDER } from './open-derived-files.ts';
import { SteadySync } from './steady-sync.ts';

/** Free space that copies leave for records. */
const SPARE_BYTES = 64 * 2 ** 20;

/** The parts of a copy follow one another in this order. */
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

  /** @param folder where to put it for the time being; what lies there goes */
  constructor(profile: IndexProfile, folder: string) {
    this.#profile = profile;
    this.#folder = folder;
    removeFolder(folder);
    this.#files = openForWriting(folder, profile.dimension);
    mkdirSync(join(folder, DERIVED_FOLDER), { mode: 0o700 });
    this.#tables = new TableImporter(this.#files.store);
    this.#rowSync = new SteadySync(join(folder, ROWS), () => this.#files.rowFile?.sync());
  }

  /** @throws CopyFailed, storage-full, or the system's error */
  take(piece: Uint8Array): void {
    assertRoom(this.#folder, piece.length);
    for (const frame of this.#reader.take(piece)) this.#takeFrame(frame);
  }

  /**
   * After the last piece: puts the index in its place, on disk when it resolves.
   * @param sha256 what all pieces together must have; null for no demand
   * @throws as `take`
   */
  async finish(folder: string, sha256: string | null = null): Promise<CopyDetails> {
    if (this.#head === null || this.#rank !== RANKS[Kind.end] || this.#reader.isWithinFrame)
      throw damaged('its end is missing');
    if (sha256 !== null && this.#reader.sha256() !== sha256) throw damaged('it is not the one it should be');
    await this.#close();
    for (const path of [join(this.#folder, DERIVED_FOLDER), this.#folder]) syncFolder(path);
    if (existsSync(folder)) throw new Error('the index to be made from a copy exists already');
    mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
    renameSync(this.#folder, folder);
    for (const path of [dirname(folder), dirname(this.#folder)]) syncFolder(path);
    const { seq, recordCount, namespaceCount, sizeBytes } = this.#head;
    return { seq, recordCount, namespaceCount, sizeBytes };
  }

  /** Removes what has been made, instead of `finish` or after it failed. */
  async abandon(): Promise<void> {
    if (this.#file !== null) this.#closing.push(this.#file.close());
    await this.#close().catch(() => undefined);
    removeFolder(this.#folder);
  }

  /** Closing twice would close a file that somebody else has opened since. */
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
    // The end is counted when it has been taken.
    if (end.frames !== this.#reader.count - 1) throw damaged('frames are missing');
    if (end.rows !== this.#tables.rows.size) throw damaged('its rows are not all there');
    if (end.files !== this.#fileCount) throw damaged('its files are not all there');
  }

  /** The first look at rows is after the last table. */
  #rowTaker(): RowImporter {
    if (this.#rows !== null) return this.#rows;
    if (this.#head === null) throw damaged('its head is missing');
    this.#tables.finish(this.#head);
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

/** A full disk would refuse records of other indexes for the sake of one that is not there yet. */
function assertRoom(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < bytes + SPARE_BYTES) throw fault('storage-full', { reason: 'no room for a copy' });
}
