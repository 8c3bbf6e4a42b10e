// A file of an assistant, the revisions of its content, and the operations its owner waits for.
import type { Metadata } from '../records/record.ts';

export type FileState = 'Processing' | 'Available' | 'ProcessingFailed' | 'Deleting';

/** What an upload brings. */
export interface FileAttributes {
  readonly name: string;
  readonly metadata: Metadata | null;
  readonly size: number;
  /** Of its bytes, in hexadecimal digits. */
  readonly sha256: string;
  readonly multimodal: boolean;
}

/** A file as its owner sees it: the facts of the revision that answers, or of the first while none does. */
export interface AssistantFile extends FileAttributes {
  readonly assistantId: string;
  /** The owner's choice or a UUID; unique in its assistant. */
  readonly id: string;
  readonly state: FileState;
  /** 0 to 100. */
  readonly percent: number;
  /** Why processing failed, for the owner. */
  readonly error: string | null;
  /** The revision whose bytes and facts these are. */
  readonly revisionId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/**
 * The content of one upload. `staged`: its chunks are being written. `live`: they answer. `stale`: they answered, and
 * are being made anew with other models. `dead`: they are being removed, and never answer again.
 */
export type RevisionState = 'staged' | 'live' | 'stale' | 'dead';

export interface FileRevision extends FileAttributes {
  /** UUID; chunks and the stored bytes are named after it. */
  readonly id: string;
  readonly assistantId: string;
  readonly fileId: string;
  readonly operationId: string;
  readonly state: RevisionState;
  /** Once it was processed. */
  readonly processing: RevisionProcessing | null;
  readonly createdAt: string;
}

/** What the chunks of a revision were made by: another parser or chunker would make others. */
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
  /** Of completed ingestions. */
  readonly ingestionUnits: number | null;
  readonly createdAt: string;
  readonly completedAt: string | null;
}

/** Where the bytes of a revision are kept. */
export function revisionKey({ assistantId, id }: Pick<FileRevision, 'assistantId' | 'id'>): string {
  return `${assistantKeys(assistantId)}${id}`;
}

const PICTURES_SUFFIX = '.pictures/';

/** What the keys of the pictures of a revision begin with, and of the list of them. */
export function pictureKeys(revision: Pick<FileRevision, 'assistantId' | 'id'>): string {
  return `${revisionKey(revision)}${PICTURES_SUFFIX}`;
}

export const ALL_FILES_PREFIX = 'assistants/';

/** The revision whose bytes or pictures have a key. */
export function revisionOfKey(key: string): string {
  const name = key.slice(ALL_FILES_PREFIX.length).split('/')[1] ?? '';
  return name.split('.', 1)[0] ?? '';
}

/** What the keys of all files of an assistant begin with. */
export function assistantKeys(assistantId: string): string {
  return `${ALL_FILES_PREFIX}${assistantId}/`;
}
