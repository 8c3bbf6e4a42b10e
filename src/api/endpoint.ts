// What an endpoint is: its address, schemas and documentation as data, and one handler.
// The server routes by these, OpenAPI is generated from them.

import type { VectorReader, VectorWriter } from '../app/records/record-access.ts';
import type { Catalog } from '../catalog/port.ts';
import type { ProjectAccess } from '../domain/access.ts';
import type { Position } from '../domain/administration/pages.ts';
import type { Permission } from '../domain/administration/permissions.ts';
import type { ApiVersion, RequestedVersion } from '../domain/api-version.ts';
import type { Backups, Collections, Schedules } from '../domain/backups/services.ts';
import type { ModelListing } from '../domain/embedding/current-source.ts';
import type { Reembeddings } from '../domain/embedding/reembedding.ts';
import type { FaultName } from '../domain/faults.ts';
import type { IndexLifecycle } from '../domain/index-lifecycle.ts';
import type { Index, IndexProfile } from '../domain/index-model.ts';
import type { Inference } from '../domain/inference/port.ts';
import type { JsonObject } from '../domain/json.ts';
import type { QueryValues } from '../domain/query-values.ts';
import type { DataAnswer } from './data-request.ts';
import type { RecordsAnswer } from './rest/records/records-answer.ts';
import type { TObject, TSchema } from './schema/type.ts';

/**
 * The body shape that errors of an endpoint take; `message` has nothing else. A caller without a valid
 * credential gets `standard`, except from `identity` and `oauth`, which have a shape of their own throughout.
 */
export type ErrorFamily = 'standard' | 'rpc' | 'both' | 'identity' | 'oauth' | 'message';

/**
 * What a caller shows: the key of a project, `bearer-key` also as a bearer token; the token of a principal of an organization; a session token, for
 * which a key may stand in; or nothing.
 */
export type Credential = 'api-key' | 'bearer-key' | 'access-token' | 'session' | 'none';

export interface Success {
  readonly status: number;
  readonly description: string;
  /** Absent where there is no body. */
  readonly schema?: TSchema;
  /** Media type of the body, by default JSON. */
  readonly mediaType?: string;
  /** Schemas of the body by other media types it may come in. */
  readonly alternatives?: Readonly<Record<string, TSchema>>;
  /** Response headers of its own, in lower case. */
  readonly headers?: TObject;
}

export interface EndpointDetails {
  /** operationId in OpenAPI, in snake_case; unique. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With places in braces, as in `/indexes/{index_name}`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** First version that has it; documentation only, older callers are served too. */
  readonly since: ApiVersion;
  /** What the caller's roles must give; checked before the body is read. Null where being known is enough. */
  readonly permission: Permission | null;
  readonly errors: ErrorFamily;
  /** Where it is not the usual one of its part of the interface. */
  readonly credential?: Credential;
  /** `identity` always has a version in force, which it echoes; `ignored` is for clients that send any or none. */
  readonly versioning?: 'identity' | 'ignored';
  readonly params?: TObject;
  readonly query?: TObject;
  /** Request headers of its own, in lower case. */
  readonly headers?: TObject;
  /** Schema of the JSON body; absent when the endpoint takes none. */
  readonly body?: TSchema;
  /** True when the body may be left out. */
  readonly bodyOptional?: boolean;
  /** Media types of the body, by default JSON. */
  readonly bodyTypes?: readonly string[];
  readonly success: Success;
  /** The success that callers of older versions get. */
  readonly olderSuccess?: { readonly until: ApiVersion; readonly success: Success };
  /** Responses to browsers, beside the success and the errors. */
  readonly pages?: readonly Success[];
  /** Conditions the reference lists beside the ones every endpoint has (401, 413, 429, 500, version). */
  readonly faults: readonly FaultName[];
}

export interface Reply {
  readonly status: number;
  /** A JSON-ready value; text that already is JSON; or nothing at all. */
  readonly body?: unknown;
  readonly jsonText?: string;
  /** A page for people instead. */
  readonly html?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a data endpoint answers. */
export interface DataReply extends Reply {
  /** In place of a body. */
  readonly records?: RecordsAnswer;
  /** What a search did, where the caller wants to know. */
  readonly explanation?: object;
}

/** Content that is sent as it comes. */
export interface StreamedReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: AsyncIterable<Uint8Array | string>;
}

export type { QueryValues };

/** What the control plane's handlers work with. */
export interface ControlServices {
  readonly catalog: Catalog;
  readonly indexes: IndexLifecycle;
  readonly backups: Backups;
  readonly collections: Collections;
  readonly schedules: Schedules;
  readonly cursors: {
    seal(position: Position, boundTo: string): string;
    open(token: string, boundTo: string): Position;
  };
  /** The models an index may embed with. */
  readonly inference: ModelListing;
  readonly reembeddings: Reembeddings;
}

export interface ControlCall {
  readonly access: ProjectAccess;
  readonly version: RequestedVersion;
  readonly params: Readonly<Record<string, string>>;
  readonly query: QueryValues;
  /** Parsed JSON, not yet checked; `undefined` when the body is empty. `bodyText` is its source. */
  readonly body: unknown;
  readonly bodyText: string;
  readonly services: ControlServices;
}

export interface ControlEndpoint extends EndpointDetails {
  readonly handle: (call: ControlCall) => Promise<Reply>;
}

/** What the data plane's handlers work with. They run in engine threads, beside the data. */
export interface DataCall<Store> {
  readonly access: ProjectAccess;
  readonly version: RequestedVersion;
  readonly index: IndexProfile;
  readonly params: Readonly<Record<string, string>>;
  readonly query: QueryValues;
  /** JSON, which handlers parse themselves so that the main thread never does; or what another wire has made of its own form. */
  readonly body: Uint8Array | JsonObject;
  readonly store: Store;
}

/** A data request on the main thread, where models are asked: engine threads only search and store. */
export interface PreprocessorCall {
  readonly index: Pick<Index, 'name' | 'embed' | 'dimension'>;
  readonly params: Readonly<Record<string, string>>;
  /** As it comes in, bounded as a whole. At its end the caller has been let in once more. */
  readonly body: AsyncIterable<Uint8Array>;
  readonly inference: Inference;
  /** Aborted when the client goes before its answer. */
  readonly signal: AbortSignal;
  /** Hands the request on to its endpoint in an engine thread, with this body in place of the client's. */
  readonly run: (body: readonly Uint8Array[]) => Promise<DataAnswer>;
}

/** What the main thread does before and after the engine's part of an endpoint. Faults are thrown. */
export type Preprocessor = (call: PreprocessorCall) => Promise<DataAnswer>;

/** What the main thread knows of a data endpoint. */
export interface DataRoute extends EndpointDetails {
  /** Absent: the client's body goes to the engine thread as it is. */
  readonly preprocess?: Preprocessor;
}

/** `queue` says which kind of engine thread runs it: one of many readers, or the index's one writer. */
export type DataEndpoint = EndpointDetails &
  (
    | { readonly queue: 'read'; readonly handle: (call: DataCall<VectorReader>) => Promise<DataReply> }
    | { readonly queue: 'write'; readonly handle: (call: DataCall<VectorWriter>) => Promise<Reply> }
  );
