// The service for files: stores bytes at once and leaves the work to jobs.
import type { Blobs } from '../../../blobs/port.ts';
import type { Catalog } from '../../../catalog/port.ts';
import { DOCUMENT_EXTENSIONS, typeOfName } from '../../../documents/port.ts';
import type { Page, PageQuery } from '../../../domain/administration/pages.ts';
import type { Assistant } from '../../../domain/assistants/assistant.ts';
import {
  type AssistantFile,
  type FileRevision,
  type Operation,
  revisionKey,
} from '../../../domain/assistants/file.ts';
import { acceptsBy } from '../../../domain/assistants/file-filter.ts';
import {
  checkFileId,
  fileBytesMax,
  readFileMetadata,
  readFileName,
} from '../../../domain/assistants/file-rules.ts';
import { DELETED_SHOWN_MS } from '../../../domain/assistants/limits.ts';
import type {
  AssistantFiles,
  FileUpload,
  OperationQuery,
  RemovalOptions,
  UploadedFile,
} from '../../../domain/assistants/services.ts';
import type { ModelListing } from '../../../domain/embedding/current-source.ts';
import { fault, invalid } from '../../../domain/faults.ts';
import type { Filter } from '../../../domain/filter/grammar.ts';
import { newId } from '../../../domain/ids.ts';
import type { JobQueue } from '../../../jobs/port.ts';
import { KeyedQueue } from '../../../platform/keyed-queue.ts';
import { cleaningJob, INGEST_JOB, ingestJob } from '../assistant-jobs.ts';
import { requireSameModels } from '../assistant-models.ts';
import type { AssistantDescriptions } from '../descriptions/assistant-descriptions.ts';
import { newOperation } from './new-operation.ts';
import { receiveFile } from './receive-file.ts';

/** The extensions of files that are read. */
export const SUPPORTED = Object.keys(DOCUMENT_EXTENSIONS).join(', ');

export interface FileServiceParts {
  readonly catalog: Pick<Catalog, 'assistantFiles' | 'assistantOperations' | 'assistantRevisions' | 'jobs'>;
  readonly blobs: Pick<Blobs, 'put' | 'get' | 'delete'>;
  readonly jobs: Pick<JobQueue, 'wake' | 'cancel'>;
  readonly inference: ModelListing;
  /** Absent: nothing is kept for the day when the catalog is lost. */
  readonly descriptions?: Pick<AssistantDescriptions, 'noteFile'>;
  /** Called before a project gets another file. @throws quota-exceeded */
  readonly admitFile?: (projectId: string) => Promise<void>;
}

/** Expects assistants from `AssistantService.ready`, which checked the caller. */
export class FileService implements AssistantFiles {
  readonly #parts: FileServiceParts;
  /** By project. */
  readonly #staging = new KeyedQueue();

  constructor(parts: FileServiceParts) {
    this.#parts = parts;
  }

  /**
   * The file is stored when it resolves; nothing is left when it rejects.
   * @throws invalid-argument, bad-metadata-value, assistant-not-found, assistant-models-changed, file-deleting,
   *   storage-full, quota-exceeded; what `content` throws
   */
  async upload(assistant: Assistant, upload: FileUpload): Promise<UploadedFile> {
    const { fileId, multimodal, content, signal } = upload;
    if (fileId !== undefined) checkFileId(fileId);
    const name = readFileName(upload.name);
    const type = requireType(name, multimodal);
    requireSameModels(this.#parts.inference, assistant);
    await this.#admit(assistant, fileId);
    const id = newId();
    const key = revisionKey({ assistantId: assistant.id, id });
    const { blobs, catalog, jobs } = this.#parts;
    const bytesMax = fileBytesMax(type, multimodal);
    const received = await receiveFile(blobs, key, { content, bytesMax, signal });
    try {
      const metadata = readFileMetadata(upload.metadata());
      const operation = newOperation(fileId === undefined ? 'upload_file' : 'upsert_file', {
        assistantId: assistant.id,
        fileId: fileId ?? newId(),
      });
      const revision: FileRevision = {
        ...received,
        id,
        assistantId: assistant.id,
        fileId: operation.fileId,
        operationId: operation.id,
        name,
        metadata,
        multimodal,
        state: 'staged',
        processing: null,
        createdAt: operation.createdAt,
      };
      const job = ingestJob(assistant, revision);
      // One upload at a time, so that several at once do not pass the quota together.
      const superseded = await this.#staging.run(assistant.projectId, async () => {
        await this.#admit(assistant, fileId);
        return catalog.assistantFiles.stage({ revision, operation, job });
      });
      await this.#endIngestions(superseded);
      await this.#parts.descriptions?.noteFile(revision);
      jobs.wake();
      return { file: await this.describe(assistant, operation.fileId), operation };
    } catch (error) {
      // Once staged, the bytes belong to the revision.
      if ((await catalog.assistantRevisions.find(id)) === null) await blobs.delete(key);
      throw error;
    }
  }

  /** @throws assistant-file-not-found */
  async describe({ id: assistantId }: Assistant, fileId: string): Promise<AssistantFile> {
    const file = await this.#parts.catalog.assistantFiles.find({ assistantId, fileId });
    if (file === null) throw fault('assistant-file-not-found', { id: fileId });
    return file;
  }

  /** Newest first. */
  list({ id }: Assistant, filter: Filter | null, page: PageQuery): Promise<Page<AssistantFile>> {
    return this.#parts.catalog.assistantFiles.list({ assistantId: id, accepts: acceptsBy(filter) }, page);
  }

  /** Reads the bytes of the shown revision. @throws BlobMissing at the first step, for a failed file */
  bytes(file: AssistantFile): AsyncIterable<Uint8Array> {
    return this.#parts.blobs.get(revisionKey({ assistantId: file.assistantId, id: file.revisionId }));
  }

  async remove(
    assistant: Assistant,
    fileId: string,
    { isPolled = false }: RemovalOptions = {},
  ): Promise<Operation> {
    const ref = { assistantId: assistant.id, fileId };
    const operation = newOperation('delete_file', ref);
    const { createdAt } = operation;
    const shownMs = isPolled ? DELETED_SHOWN_MS : 0;
    const removal = await this.#parts.catalog.assistantFiles.beginRemoval(ref, {
      operation,
      staysShown: isPolled,
      jobFor: (revision) => cleaningJob(assistant, revision, { createdAt, shownMs }),
    });
    if (removal === null) throw fault('assistant-file-not-found', { id: fileId });
    await this.#endIngestions(removal.cancelled);
    this.#parts.jobs.wake();
    return removal.operation;
  }

  /** @throws operation-not-found */
  async operation({ id: assistantId }: Assistant, id: string): Promise<Operation> {
    const operation = await this.#parts.catalog.assistantOperations.find(assistantId, id);
    if (operation === null) throw fault('operation-not-found', { id });
    return operation;
  }

  /** Newest first. */
  operations({ id }: Assistant, query: OperationQuery, page: PageQuery): Promise<Page<Operation>> {
    return this.#parts.catalog.assistantOperations.list({ assistantId: id, ...query }, page);
  }

  /** @param fileId undefined for a file without an id yet @throws quota-exceeded when the project would get another file */
  async #admit({ id: assistantId, projectId }: Assistant, fileId: string | undefined): Promise<void> {
    const { admitFile, catalog } = this.#parts;
    if (admitFile === undefined) return;
    if (fileId !== undefined && (await catalog.assistantFiles.find({ assistantId, fileId })) !== null) return;
    await admitFile(projectId);
  }

  /** Cancels ingestions, whose undo removes what they left. */
  async #endIngestions(revisionIds: readonly string[]): Promise<void> {
    for (const subject of revisionIds) {
      const active = await this.#parts.catalog.jobs.active({ kind: INGEST_JOB, subject });
      for (const { id } of active) await this.#parts.jobs.cancel(id);
    }
  }
}

/** @throws invalid-argument */
function requireType(name: string, multimodal: boolean): string {
  const type = typeOfName(name);
  if (type === undefined) throw invalid(`Files of this type are not supported. Supported: ${SUPPORTED}.`);
  if (multimodal && type !== 'pdf') throw invalid('multimodal is for PDF files only.');
  return type;
}
