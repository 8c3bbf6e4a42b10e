// What an endpoint in the OpenAI form is: its details, and one handler.
import type { ProjectAccess } from '../../../domain/access.ts';
import type { Permission } from '../../../domain/administration/permissions.ts';
import type { RequestedVersion } from '../../../domain/api-version.ts';
import type { Inference } from '../../../domain/inference/port.ts';
import type { EndpointDetails, Reply, StreamedReply } from '../../endpoint.ts';
import type { AssistantServices } from '../assistants/assistant-endpoint.ts';

export interface OpenAiServices extends Pick<AssistantServices, 'assistants' | 'chat'> {
  readonly inference: Inference;
  /** Returns the texts of token lists in the encoding of OpenAI's embedding models. */
  readonly textsOfTokens: (lists: readonly (readonly number[])[]) => Promise<readonly string[]>;
}

export interface OpenAiCall {
  readonly access: ProjectAccess;
  /** Whether the caller has another permission than that of the endpoint. */
  readonly may: (permission: Permission) => boolean;
  readonly version: RequestedVersion;
  readonly params: Readonly<Record<string, string>>;
  /** Parsed JSON, not yet checked; `undefined` when the body is empty. */
  readonly body: unknown;
  /** Aborted when the client leaves before the response is sent. */
  readonly signal: AbortSignal;
  /** Takes memory for a large answer. @param bytes that it has so far @throws invalid-argument, overloaded */
  readonly hold: (bytes: number) => void;
  /** Refuses an answer that is too large, before the work. @param bytes that it has at least @throws invalid-argument */
  readonly expect: (bytes: number) => void;
  readonly services: OpenAiServices;
}

export interface OpenAiEndpoint extends EndpointDetails {
  readonly errors: 'openai';
  readonly credential: 'bearer-key';
  /** OpenAI's clients send no version. */
  readonly versioning: 'ignored';
  readonly handle: (call: OpenAiCall) => Promise<Reply | StreamedReply>;
}

/** The fields that all these endpoints share. */
export const OPENAI_FORM = {
  tag: 'OpenAI form',
  since: '2024-04',
  errors: 'openai',
  credential: 'bearer-key',
  versioning: 'ignored',
} as const satisfies Partial<OpenAiEndpoint>;

/** Room for 2,048 texts, or for their tokens as numbers. */
export const OPENAI_REQUEST_BYTES_MAX = 8 * 1024 * 1024;
/** Mostly messages, or lists of tokens. */
export const OPENAI_STRUCTURES_MAX = 20_000;
