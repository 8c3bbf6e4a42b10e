// The services for assistants and their files that APIs call.
import type { ProjectAccess } from '../access.ts';
import type { Page, PageQuery } from '../administration/pages.ts';
import type { Filter } from '../filter/grammar.ts';
import type { Assistant } from './assistant.ts';
import type { AssistantFile, Operation, OperationState, OperationType } from './file.ts';

export interface NewAssistant {
  readonly name: string;
  readonly instructions?: string | undefined;
  /** As sent; the service checks it. */
  readonly metadata?: unknown;
  readonly region?: string | undefined;
}

/** Absent fields keep their values; an empty text or object clears one. A null in a body is absent. */
export type AssistantChange = Omit<NewAssistant, 'name'>;

export interface RemovalOptions {
  /** True for callers who learn of the end by looking for what they have deleted: it stays shown for two seconds. */
  readonly isPolled?: boolean;
}

export interface Assistants {
  /** The assistant becomes Ready shortly afterwards. @throws invalid-argument, name-taken */
  create(access: ProjectAccess, requested: NewAssistant): Promise<Assistant>;
  /** Also finds assistants that are being created or deleted. @throws assistant-not-found */
  describe(access: ProjectAccess, name: string): Promise<Assistant>;
  /**
   * Returns an assistant that takes files and answers. Waits a few seconds while it is being created, so that its
   * creator may use it at once.
   * @throws assistant-not-found; overloaded when it takes longer; the signal's reason
   */
  ready(access: ProjectAccess, name: string, signal?: AbortSignal): Promise<Assistant>;
  /** Newest first. */
  list(access: ProjectAccess, page: PageQuery): Promise<Page<Assistant>>;
  /** Validates a region but ignores it. @throws invalid-argument, assistant-not-found */
  change(access: ProjectAccess, name: string, requested: AssistantChange): Promise<Assistant>;
  /** The assistant and its files are gone shortly afterwards. @throws assistant-not-found */
  remove(access: ProjectAccess, name: string, options?: RemovalOptions): Promise<void>;
}

export interface FileUpload {
  /** As sent; folders and control characters are stripped. */
  readonly name: string;
  readonly content: AsyncIterable<Uint8Array>;
  /** As sent. Read after the end of `content`, since it may follow it. */
  readonly metadata: () => unknown;
  readonly multimodal: boolean;
  /** The file to replace or create; by default a new one. */
  readonly fileId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface UploadedFile {
  /** The present state: a replaced file is shown unchanged until the operation is completed. */
  readonly file: AssistantFile;
  readonly operation: Operation;
}

/** Expects assistants from `Assistants.ready`, which checked the caller. */
export interface AssistantFiles {
  /**
   * The file is stored when it resolves; nothing is left when it rejects.
   * @throws invalid-argument, bad-metadata-value, assistant-not-found, file-deleting; what `content` throws
   */
  upload(assistant: Assistant, upload: FileUpload): Promise<UploadedFile>;
  /** @throws assistant-file-not-found */
  describe(assistant: Assistant, fileId: string): Promise<AssistantFile>;
  /** Newest first. */
  list(assistant: Assistant, filter: Filter | null, page: PageQuery): Promise<Page<AssistantFile>>;
  /**
   * The file is gone shortly afterwards, or at once when nothing of it is left: then the operation is completed.
   * @throws assistant-file-not-found
   */
  remove(assistant: Assistant, fileId: string, options?: RemovalOptions): Promise<Operation>;
  /** @throws operation-not-found */
  operation(assistant: Assistant, id: string): Promise<Operation>;
  /** Newest first; operations that ended long ago are deleted. */
  operations(assistant: Assistant, query: OperationQuery, page: PageQuery): Promise<Page<Operation>>;
}

export interface OperationQuery {
  readonly type?: OperationType | undefined;
  readonly state?: OperationState | undefined;
}

/** Links that open a file for an hour without a key. */
export interface FileLinks {
  /** Null when there is nothing to read because the file is being deleted. */
  urlOf(file: AssistantFile): string | null;
  /**
   * Opens a link, provided that the file has not changed since the link was created.
   * @throws link-invalid when it was altered or has expired, assistant-file-not-found
   */
  open(token: string): Promise<LinkedFile>;
}

export interface LinkedFile {
  readonly file: AssistantFile;
  readonly content: AsyncIterable<Uint8Array>;
}
