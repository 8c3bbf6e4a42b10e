// What an endpoint of assistants is: its details, and one handler. Three kinds: with a JSON body, with an uploaded
// file, and without a key for those who hold a signed link.

import type { ProjectAccess } from '../../../domain/access.ts';
import type { PageCursors } from '../../../domain/administration/page-cursors.ts';
import type { RequestedVersion } from '../../../domain/api-version.ts';
import type { AssistantReembeddings } from '../../../domain/assistants/reembedding.ts';
import type { AssistantFiles, Assistants, FileLinks } from '../../../domain/assistants/services.ts';
import type { EndpointDetails, QueryValues, Reply, StreamedReply } from '../../endpoint.ts';
import type { ChatServices } from './chat/chat-services.ts';

export interface AssistantServices extends ChatServices {
  readonly assistants: Assistants;
  readonly reembeddings: AssistantReembeddings;
  readonly files: AssistantFiles;
  readonly links: FileLinks;
  readonly cursors: PageCursors;
  /** The base address as clients reach it: where the files and chats of all assistants are. */
  readonly host: () => string;
}

interface Call {
  readonly version: RequestedVersion;
  readonly params: Readonly<Record<string, string>>;
  readonly query: QueryValues;
  /** Aborted when the client goes before its answer is sent. */
  readonly signal: AbortSignal;
  readonly services: AssistantServices;
}

export interface AssistantCall extends Call {
  readonly access: ProjectAccess;
  /** Parsed JSON, not yet checked; `undefined` when the body is empty. `bodyText` is its source. */
  readonly body: unknown;
  readonly bodyText: string;
}

/** The one file of a form, and what comes before and behind it. */
export interface UploadForm {
  /** As sent. */
  readonly fileName: string;
  /**
   * To be read once, to its end. Ends when the whole form was read and the caller was let in again.
   * @throws invalid-argument for a form that is cut off or has other parts; unauthenticated, permission-denied
   */
  readonly content: AsyncIterable<Uint8Array>;
  /** Text of the part `metadata`, once `content` has ended. */
  readonly metadata: () => string | undefined;
}

export interface UploadCall extends Call {
  readonly access: ProjectAccess;
  /** Reads up to the file. @throws unsupported-form-type, invalid-argument */
  readonly openForm: () => Promise<UploadForm>;
}

export type AssistantReply = Reply | StreamedReply;

interface AssistantEndpointFields extends EndpointDetails {
  /** Under `/assistant/`; served without this prefix as well. */
  readonly path: `/assistant/${string}`;
}

export interface JsonEndpoint extends AssistantEndpointFields {
  readonly kind: 'json';
  readonly handle: (call: AssistantCall) => Promise<AssistantReply>;
}

export interface UploadEndpoint extends AssistantEndpointFields {
  readonly kind: 'upload';
  readonly handle: (call: UploadCall) => Promise<AssistantReply>;
}

export interface LinkEndpoint extends AssistantEndpointFields {
  readonly kind: 'link';
  readonly credential: 'none';
  /** Whoever follows a link sends no header. */
  readonly versioning: 'ignored';
  readonly handle: (call: Call) => Promise<AssistantReply>;
}

export type AssistantEndpoint = JsonEndpoint | UploadEndpoint | LinkEndpoint;

const PREFIX = '/assistant';

/** Where an endpoint is served: clients that are given an address by hand leave the prefix out. */
export function pathsOf({ path }: Pick<AssistantEndpointFields, 'path'>): readonly [string, string] {
  return [path, path.slice(PREFIX.length)];
}
