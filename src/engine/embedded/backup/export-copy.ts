// Turns a snapshot of an index into the frames of a copy: head, tables, live rows, derived files, end.
import { randomBytes } from 'node:crypto';
import { namespaceIdKey, rowOfKey, seqKey } from '../storage/keys.ts';
import { RowSet } from '../storage/row-set.ts';
import { type CopyEnd, type CopyHead, STORAGE_FORMAT } from './copy-head.ts';
import { FRAME_BYTES, type FrameBuffers } from './frame-buffers.ts';
import { COPY_ID_BYTES, FrameWriter, Kind } from './frames.ts';
import type { IndexSnapshot } from './index-snapshot.ts';
import type { OpenDerivedFile } from './open-derived-files.ts';
import { type Entry, entryBytes, TABLES, type TableName, tableOf, writeEntry } from './tables.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** Approximate overhead of a record in the tables: keys, lengths, its id once more. */
const RECORD_OVERHEAD_BYTES = 60;
/** Typical compressed share of vectors, tables and derived files. */
const COMPRESSED_SHARE = { rows: 1, tables: 0.35, derived: 0.9 };

/** Estimated length of the copy in bytes. */
export function expectedBytes(snapshot: IndexSnapshot): number {
  const { sizeBytes, recordCount } = snapshot.details();
  const rows = recordCount * snapshot.rowBytes;
  const tables = sizeBytes - rows + recordCount * RECORD_OVERHEAD_BYTES;
  return Math.round(
    COMPRESSED_SHARE.rows * rows +
      COMPRESSED_SHARE.tables * tables +
      COMPRESSED_SHARE.derived * snapshot.derived.bytes,
  );
}

/** The parts of a copy, to be pulled in the order of the methods. Each reads on demand. */
export class CopyExporter {
  readonly #snapshot: IndexSnapshot;
  readonly #frames: FrameWriter;
  readonly #rows = new RowSet();
  readonly #namespaceIds: ReadonlySet<number>;

  constructor(snapshot: IndexSnapshot, buffers: FrameBuffers) {
    this.#snapshot = snapshot;
    this.#frames = new FrameWriter(randomBytes(COPY_ID_BYTES), buffers);
    this.#namespaceIds = new Set([...snapshot.namespaces()].map(({ row }) => row.namespaceId));
  }

  /** All that is read within the snapshot's transaction. */
  *records(): Generator<Bytes> {
    const { vectorType, metric, dimension } = this.#snapshot.profile;
    const details = this.#snapshot.details();
    const numbers = this.#snapshot.numbers();
    const head: CopyHead = { ...details, storage: STORAGE_FORMAT, vectorType, metric, dimension, numbers };
    yield this.#json(Kind.head, head);
    for (const [label, name] of TABLES.entries()) yield* this.#table(label, this.#entries(name));
  }

  /** Dense values of the records, in the order of their rows. */
  *rows(): Generator<Bytes> {
    const { rowBytes, files } = this.#snapshot;
    const { rowFile } = files;
    if (rowFile === null) return;
    const rowsMax = Math.max(1, Math.floor(FRAME_BYTES / rowBytes));
    for (const runs of inBatches(this.#rows, rowsMax)) {
      const bytes = runs.reduce((sum, { count }) => sum + count, 0) * rowBytes;
      yield this.#frames.frameOf({ kind: Kind.rows }, bytes, (batch) => {
        let used = 0;
        for (const { first, count } of runs) {
          rowFile.read(first, count, batch.subarray(used));
          used += count * rowBytes;
        }
      });
    }
  }

  /** Derived files as they are on disk, with checksums of their own. */
  *files(): Generator<Bytes> {
    for (const [label, held] of this.#snapshot.derived.files.entries()) {
      yield this.#json(Kind.file, { name: held.name, bytes: held.file.preamble.fileBytes }, label);
      yield* this.#content(label, held);
    }
  }

  *end(): Generator<Bytes> {
    const end: CopyEnd = {
      frames: this.#frames.count,
      rows: this.#rows.size,
      files: this.#snapshot.derived.files.length,
    };
    yield this.#json(Kind.end, end);
  }

  /** SHA-256 of all of it, in hexadecimal. Call once, after the end. */
  sha256(): string {
    return this.#frames.sha256();
  }

  #json(kind: typeof Kind.head | typeof Kind.file | typeof Kind.end, value: object, label = 0): Bytes {
    return this.#frames.frame({ kind, label }, Buffer.from(JSON.stringify(value)));
  }

  *#content(label: number, { file }: OpenDerivedFile): Generator<Bytes> {
    const { fileBytes } = file.preamble;
    for (let position = 0; position < fileBytes; position += FRAME_BYTES) {
      const bytes = Math.min(FRAME_BYTES, fileBytes - position);
      yield this.#frames.frameOf({ kind: Kind.content, label }, bytes, (payload) => {
        if (file.read(payload, position) !== payload.length)
          throw new Error('a derived file ended too early');
      });
    }
  }

  *#table(label: number, entries: Iterable<Entry>): Generator<Bytes> {
    const details = { kind: Kind.table, label, shrinks: true };
    let batch = Buffer.allocUnsafe(FRAME_BYTES);
    let used = 0;
    for (const entry of entries) {
      const bytes = entryBytes(entry);
      let full: Bytes | null = null;
      if (used > 0 && used + bytes > batch.length) {
        full = this.#frames.frame(details, batch.subarray(0, used));
        used = 0;
      }
      // Before yielding, which pauses the generator: LMDB's buffers are valid only until then.
      if (bytes > batch.length) batch = Buffer.allocUnsafe(bytes);
      used = writeEntry(batch, used, entry);
      if (full !== null) yield full;
    }
    if (used > 0) yield this.#frames.frame(details, batch.subarray(0, used));
  }

  /** The entries to copy: none of dropped namespaces, and only what derived files need of the change log. */
  *#entries(name: TableName): Generator<Entry> {
    if (name === 'derived') {
      for (const [namespaceId, row] of this.#snapshot.derived.rows)
        yield { key: namespaceIdKey(namespaceId), value: Buffer.from(JSON.stringify(row)) };
      return;
    }
    const { changesFrom } = this.#snapshot.derived;
    if (name === 'changes' && changesFrom === null) return;
    const { transaction, files } = this.#snapshot;
    const range = name === 'changes' ? { start: seqKey(changesFrom ?? 0) } : {};
    const isOfNamespace = name !== 'namespaces' && name !== 'changes';
    for (const entry of tableOf(files.store, name).getRange({ ...range, transaction })) {
      if (isOfNamespace && !this.#namespaceIds.has(entry.key.readUInt32BE(0))) continue;
      if (name === 'records') this.#rows.add(rowOfKey(entry.key));
      yield entry;
    }
  }
}

interface Run {
  readonly first: number;
  readonly count: number;
}

/** Groups runs of rows so that each group fills a frame. */
function* inBatches(set: RowSet, rowsMax: number): Generator<readonly Run[]> {
  let runs: Run[] = [];
  let total = 0;
  for (const run of set.runs(rowsMax)) {
    const count = Math.min(run.count, rowsMax - total);
    runs.push({ first: run.first, count });
    total += count;
    if (total < rowsMax) continue;
    yield runs;
    const left = run.count - count;
    runs = left > 0 ? [{ first: run.first + count, count: left }] : [];
    total = left;
  }
  if (total > 0) yield runs;
}
