// What an endpoint of assistants is: its details, and one handler. Three kinds: with a JSON body, with an uploaded
// file, and without a key for holders of a signed link.

import type { ProjectAccess } from '../../../domain/access.ts';
import type { PageCursors } from '../../../domain/administration/page-cursors.ts';
import type { RequestedVersion } from '../../../domain/api-version.ts';
import type { Passages } from '../../../domain/assistants/passages.ts';
import type { AssistantReembeddings } from '../../../domain/assistants/reembedding.ts';
import type { AssistantFiles, Assistants, FileLinks } from '../../../domain/assistants/services.ts';
import type { EndpointDetails, QueryValues, Reply, StreamedReply } from '../../endpoint.ts';
import type { ChatServices } from './chat/chat-services.ts';

export interface AssistantServices extends ChatServices {
  readonly assistants: Assistants;
  readonly reembeddings: AssistantReembeddings;
  readonly files: AssistantFiles;
  readonly passages: Passages;
  readonly links: FileLinks;
  readonly cursors: PageCursors;
  /** The public base address, which serves the files and chats of all assistants. */
  readonly host: () => string;
}

interface Call {
  readonly version: RequestedVersion;
  readonly params: Readonly<Record<string, string>>;
  readonly query: QueryValues;
  /** Aborted when the client leaves before the response is sent. */
  readonly signal: AbortSignal;
  readonly services: AssistantServices;
}

export interface AssistantCall extends Call {
  readonly access: ProjectAccess;
  /** Parsed JSON, not yet checked; `undefined` when the body is empty. `bodyText` is its source. */
  readonly body: unknown;
  readonly bodyText: string;
  /** Takes memory for a large answer. @param bytes that it has so far @throws invalid-argument, overloaded */
  readonly hold: (bytes: number) => void;
}

/** The single file of a form, and the fields before and after it. */
export interface UploadForm {
  /** As sent. */
  readonly fileName: string;
  /**
   * Read it once, to its end. Ends after the whole form was read and the caller was authorized again.
   * @throws invalid-argument for a form that is truncated or has other parts; unauthenticated, permission-denied
   */
  readonly content: AsyncIterable<Uint8Array>;
  /** Text of the part `metadata`; available after the end of `content`. */
  readonly metadata: () => string | undefined;
}

export interface UploadCall extends Call {
  readonly access: ProjectAccess;
  /** Reads up to the file. @throws unsupported-form-type, invalid-argument */
  readonly openForm: () => Promise<UploadForm>;
}

export type AssistantReply = Reply | StreamedReply;

interface AssistantEndpointFields extends EndpointDetails {
  /** Path under `/assistant/`; also served without this prefix. */
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
  /** Browsers that follow a link send no version header. */
  readonly versioning: 'ignored';
  readonly handle: (call: Call) => Promise<AssistantReply>;
}

export type AssistantEndpoint = JsonEndpoint | UploadEndpoint | LinkEndpoint;

const PREFIX = '/assistant';

/** Returns the paths of an endpoint: clients with a manually configured address omit the prefix. */
export function pathsOf({ path }: Pick<AssistantEndpointFields, 'path'>): readonly [string, string] {
  return [path, path.slice(PREFIX.length)];
}
