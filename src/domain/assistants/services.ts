// Assistants and their files as the surfaces ask for them.
import type { ProjectAccess } from '../access.ts';
import type { Page, PageQuery } from '../administration/pages.ts';
import type { Filter } from '../filter/grammar.ts';
import type { Assistant } from './assistant.ts';
import type { AssistantFile, Operation, OperationState, OperationType } from './file.ts';

export interface NewAssistant {
  readonly name: string;
  readonly instructions?: string | null | undefined;
  /** As sent: checked by the service. */
  readonly metadata?: unknown;
  readonly region?: string | null | undefined;
}

/** Absent fields keep their value, null clears. */
export type AssistantChange = Omit<NewAssistant, 'name'>;

export interface Assistants {
  /** Ready a little later. @throws invalid-argument, name-taken */
  create(access: ProjectAccess, requested: NewAssistant): Promise<Assistant>;
  /** Also one that is being made or deleted. @throws assistant-not-found */
  describe(access: ProjectAccess, name: string): Promise<Assistant>;
  /**
   * One that has files and answers. Waits some seconds for one that is being made, so that whoever makes an assistant
   * may use it at once.
   * @throws assistant-not-found; overloaded when it takes longer; the reason of the signal
   */
  ready(access: ProjectAccess, name: string, signal?: AbortSignal): Promise<Assistant>;
  /** Newest first. */
  list(access: ProjectAccess, page: PageQuery): Promise<Page<Assistant>>;
  /** A region must be a valid one, and changes nothing. @throws invalid-argument, assistant-not-found */
  change(access: ProjectAccess, name: string, requested: AssistantChange): Promise<Assistant>;
  /** Gone a little later, with its files. @throws assistant-not-found */
  remove(access: ProjectAccess, name: string): Promise<void>;
}

export interface FileUpload {
  /** As sent; folders and control characters in it are left out. */
  readonly name: string;
  readonly content: AsyncIterable<Uint8Array>;
  /** As sent, asked for once `content` has ended: it may come behind it. */
  readonly metadata: () => unknown;
  readonly multimodal: boolean;
  /** The file it replaces or, if there is none, becomes. By default a new one. */
  readonly fileId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface UploadedFile {
  /** As it is now: what it replaces is shown until the operation is completed. */
  readonly file: AssistantFile;
  readonly operation: Operation;
}

/** Takes assistants as `Assistants.ready` found them for a caller. */
export interface AssistantFiles {
  /**
   * Stored when it resolves; nothing is left when it does not.
   * @throws invalid-argument, bad-metadata-value, assistant-not-found, file-deleting; what `content` throws
   */
  upload(assistant: Assistant, upload: FileUpload): Promise<UploadedFile>;
  /** @throws assistant-file-not-found */
  describe(assistant: Assistant, fileId: string): Promise<AssistantFile>;
  /** Newest first. */
  list(assistant: Assistant, filter: Filter | null, page: PageQuery): Promise<Page<AssistantFile>>;
  /**
   * Gone a little later, at once when nothing of it is left: then the operation is completed.
   * @throws assistant-file-not-found
   */
  remove(assistant: Assistant, fileId: string): Promise<Operation>;
  /** @throws operation-not-found */
  operation(assistant: Assistant, id: string): Promise<Operation>;
  /** Newest first; those that ended long ago are forgotten. */
  operations(assistant: Assistant, query: OperationQuery, page: PageQuery): Promise<Page<Operation>>;
}

export interface OperationQuery {
  readonly type?: OperationType | undefined;
  readonly state?: OperationState | undefined;
}

/** Links by which a file can be read for an hour, without a key. */
export interface FileLinks {
  /** Null while there is nothing to read: the file is being deleted. */
  urlOf(file: AssistantFile): string | null;
  /**
   * What a link leads to, as long as the file is as it was when the link was made.
   * @throws link-invalid for one that was altered or is too old, assistant-file-not-found
   */
  open(token: string): Promise<LinkedFile>;
}

export interface LinkedFile {
  readonly file: AssistantFile;
  readonly content: AsyncIterable<Uint8Array>;
}
