// Files of assistants, the revisions of their content, and the operations that owners wait for.
import type { Metadata } from '../records/record.ts';

export type FileState = 'Processing' | 'Available' | 'ProcessingFailed' | 'Deleting';

/** The attributes of an upload. */
export interface FileAttributes {
  readonly name: string;
  readonly metadata: Metadata | null;
  readonly size: number;
  /** Hexadecimal digest of its bytes. */
  readonly sha256: string;
  readonly multimodal: boolean;
}

/** A file as its owner sees it: it shows the answering revision, or the first one while none answers. */
export interface AssistantFile extends FileAttributes {
  readonly assistantId: string;
  /** Chosen by the owner, or a UUID; unique within the assistant. */
  readonly id: string;
  readonly state: FileState;
  /** 0 to 100. */
  readonly percent: number;
  /** Why processing failed, in words for the owner. */
  readonly error: string | null;
  /** The revision that this file shows. */
  readonly revisionId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/**
 * The content of one upload. `staged`: its chunks are being written. `live`: they answer. `stale`: they answered, and
 * are being embedded again with other models. `dead`: they are being removed and never answer again.
 */
export type RevisionState = 'staged' | 'live' | 'stale' | 'dead';

export interface FileRevision extends FileAttributes {
  /** UUID; part of the names of its chunks and stored bytes. */
  readonly id: string;
  readonly assistantId: string;
  readonly fileId: string;
  readonly operationId: string;
  readonly state: RevisionState;
  /** Null until it was processed. */
  readonly processing: RevisionProcessing | null;
  readonly createdAt: string;
}

/** The versions that produced the chunks of a revision: another parser or chunker would produce others. */
export interface RevisionProcessing {
  readonly parser: number;
  readonly chunker: number;
  readonly type: string;
  readonly chunks: number;
  readonly tokens: number;
  readonly pages: number | null;
}

export type OperationType = 'upload_file' | 'upsert_file' | 'update_file_metadata' | 'delete_file';
export type OperationState = 'Processing' | 'Completed' | 'Failed';

export interface Operation {
  readonly id: string;
  readonly assistantId: string;
  readonly type: OperationType;
  readonly fileId: string;
  readonly state: OperationState;
  /** 0 to 100. */
  readonly percent: number;
  readonly error: string | null;
  /** Only of completed ingestions. */
  readonly ingestionUnits: number | null;
  readonly createdAt: string;
  readonly completedAt: string | null;
}

/** Returns the key of a revision's bytes. */
export function revisionKey({ assistantId, id }: Pick<FileRevision, 'assistantId' | 'id'>): string {
  return `${assistantKeys(assistantId)}${id}`;
}

const PICTURES_SUFFIX = '.pictures/';

/** Returns the key prefix of a revision's pictures and of their list. */
export function pictureKeys(revision: Pick<FileRevision, 'assistantId' | 'id'>): string {
  return `${revisionKey(revision)}${PICTURES_SUFFIX}`;
}

const TABLES_SUFFIX = '.tables';

/** Returns the key of the rows of a revision's tables. */
export function tablesKey(revision: Pick<FileRevision, 'assistantId' | 'id'>): string {
  return `${revisionKey(revision)}${TABLES_SUFFIX}`;
}

export const ALL_FILES_PREFIX = 'assistants/';

/** Returns the id of the assistant that a key belongs to. */
export function assistantOfKey(key: string): string {
  return key.slice(ALL_FILES_PREFIX.length).split('/', 1)[0] ?? '';
}

/** Returns the id of the revision that a key belongs to. */
export function revisionOfKey(key: string): string {
  const name = key.slice(ALL_FILES_PREFIX.length).split('/')[1] ?? '';
  return name.split('.', 1)[0] ?? '';
}

/** Returns the key prefix of all files of an assistant. */
export function assistantKeys(assistantId: string): string {
  return `${ALL_FILES_PREFIX}${assistantId}/`;
}
