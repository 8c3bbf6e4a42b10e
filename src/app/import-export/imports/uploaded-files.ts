// Files that callers upload for an import: kept in the server's own storage until the import ends.
import { pathToFileURL } from 'node:url';
import type { Blobs } from '../../../blobs/port.ts';
import { invalid } from '../../../domain/faults.ts';
import { MANIFEST_NAME } from '../../../domain/imports/import-layout.ts';
import { UPLOADS_MAX } from '../../../domain/imports/import-model.ts';
import { MANIFEST_KIND, MANIFEST_VERSION } from '../../../domain/imports/manifest.ts';
import type { Job } from '../../../domain/jobs.ts';
import { overloaded } from '../../../domain/overload.ts';
import { namespaceToShown } from '../../../domain/records/record-id.ts';
import type { S3Access, SourceRules, StorageLocation } from '../../../storage-locations/port.ts';
import { blobFault } from '../../blob-fault.ts';
import { removeAll } from '../exports/export-target.ts';
import { inputOf } from './import-progress.ts';

export const UPLOADS_PREFIX = 'uploads/';
/** The folder of the file beside its manifest, which has the name of its namespace. */
const FOLDER = 'upload';
/**
 * Where several servers share the storage, another one may be about to store the import of a file, whose time may be that
 * at which its upload began.
 */
const ORPHAN_MS = 86_400_000;

/** What a file begins with tells its format. */
const MAGIC_BYTES = 4;

export interface UploadParts {
  readonly blobs: Blobs;
  /** Where the blobs below `UPLOADS_PREFIX` lie, for the readers of imports. */
  readonly location: StorageLocation;
  readonly s3: S3Access;
  /** True where other servers use the same storage. */
  readonly isShared: boolean;
  /** The imports that have not ended; of all indexes where none is named. */
  readonly active: (indexId: string | null) => Promise<readonly Job[]>;
}

export interface Upload {
  /** Of the import that will read it. */
  readonly id: string;
  readonly indexId: string;
  /** Stored name. */
  readonly namespace: string;
  readonly content: AsyncIterable<Uint8Array>;
}

export class UploadedFiles {
  readonly #parts: UploadParts;
  /** The indexes of uploads that are not yet imports, by the ids of the latter. */
  readonly #receiving = new Map<string, string>();

  constructor(parts: UploadParts) {
    this.#parts = parts;
  }

  /**
   * Stores a file piece by piece, then has `accept` store its import. Nothing remains where either fails.
   * @throws overloaded when the index has too many; invalid-argument for an empty file; storage-full; what
   *   `content` throws
   */
  async receive<Accepted>(upload: Upload, accept: () => Promise<Accepted>): Promise<Accepted> {
    const { id, indexId } = upload;
    const before = this.#receivingOf(indexId);
    this.#receiving.set(id, indexId);
    try {
      await this.#refuseMany(indexId, before);
      await readThenClosed(upload.content, (content) => this.#store({ ...upload, content }));
      return await accept();
    } catch (error) {
      // What cannot be removed now is removed by the next sweep.
      await this.remove(id).catch(() => undefined);
      throw blobFault(error);
    } finally {
      this.#receiving.delete(id);
    }
  }

  /** What an import reads. */
  source(id: string): { readonly uri: string; readonly rules: SourceRules } {
    const { location, s3 } = this.#parts;
    const rules = { roots: [location], s3: { ...s3, mayBePrivate: true } };
    if (location.kind === 'file') return { uri: pathToFileURL(`${location.path}/${id}`).href, rules };
    return { uri: `s3://${location.bucket}/${location.prefix}/${id}`, rules };
  }

  /** No effect where there is none. */
  remove(id: string): Promise<void> {
    return removeAll(this.#parts.blobs, `${UPLOADS_PREFIX}${id}/`);
  }

  /** Removes files whose imports have ended, or were never stored; what another server left, once it is old. */
  async sweep(now = Date.now()): Promise<void> {
    const { blobs, active, isShared } = this.#parts;
    const until = isShared ? now - ORPHAN_MS : Number.POSITIVE_INFINITY;
    const orphans: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await blobs.list(UPLOADS_PREFIX, cursor === '' ? null : cursor);
      const old = page.items.filter(({ modifiedAt }) => Date.parse(modifiedAt) < until);
      orphans.push(...old.map(({ key }) => key));
      cursor = page.next;
    }
    if (orphans.length === 0) return;
    // Before the imports are read: an upload becomes one meanwhile.
    const receiving = new Set(this.#receiving.keys());
    const kept = new Set((await active(null)).map(({ id }) => id));
    for (const key of orphans) {
      const [, id = ''] = key.split('/');
      if (!kept.has(id) && !receiving.has(id) && !this.#receiving.has(id)) await blobs.delete(key);
    }
  }

  /**
   * Counts no upload that began later, else all that begin together are refused.
   * @param before the uploads that had begun; one that has become an import meanwhile counts once @throws overloaded
   */
  async #refuseMany(indexId: string, before: readonly string[]): Promise<void> {
    const waiting = (await this.#parts.active(indexId)).filter((job) => inputOf(job).upload === true);
    const imports = new Set(waiting.map(({ id }) => id));
    const receiving = before.filter((id) => !imports.has(id));
    if (waiting.length + receiving.length >= UPLOADS_MAX) throw overloaded();
  }

  #receivingOf(indexId: string): readonly string[] {
    return [...this.#receiving].filter(([, each]) => each === indexId).map(([id]) => id);
  }

  async #store({ id, namespace, content }: Upload): Promise<void> {
    const { blobs } = this.#parts;
    const pieces = content[Symbol.asyncIterator]();
    const head = await headOf(pieces);
    const base = `${UPLOADS_PREFIX}${id}/`;
    await blobs.put(`${base}${FOLDER}/${fileNameOf(head)}`, joined(head, pieces));
    const manifest = {
      ...{ kind: MANIFEST_KIND, version: MANIFEST_VERSION, files: [] },
      namespaces: [{ folder: FOLDER, name: namespaceToShown(namespace) }],
    };
    await blobs.put(`${base}${MANIFEST_NAME}`, oneOf(Buffer.from(JSON.stringify(manifest))));
  }
}

/** Closes content after `work`, however much of it that has read: a request lets nobody else read its body before. */
async function readThenClosed(
  content: AsyncIterable<Uint8Array>,
  work: (content: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<void> {
  const pieces = content[Symbol.asyncIterator]();
  try {
    await work({ [Symbol.asyncIterator]: () => pieces });
  } finally {
    // Nobody waits for it: where a piece is being read, it closes after that, which may not come.
    pieces.return?.().catch(() => undefined);
  }
}

/** The pieces until they have enough bytes to tell the format. */
async function headOf(pieces: AsyncIterator<Uint8Array>): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  while (head.length < MAGIC_BYTES) {
    const { done, value } = await pieces.next();
    if (done === true) break;
    head = Buffer.concat([head, value]);
  }
  if (head.length === 0) throw invalid('The request body is empty: send a Parquet or JSONL file as the body');
  return head;
}

function fileNameOf(head: Buffer): string {
  if (head.subarray(0, MAGIC_BYTES).toString('latin1') === 'PAR1') return 'data.parquet';
  return head[0] === 0x1f && head[1] === 0x8b ? 'data.jsonl.gz' : 'data.jsonl';
}

async function* joined(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

async function* oneOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
