// The definition of an endpoint: its address, schemas and documentation as data, and one handler.
// The server routes by it, and OpenAPI is generated from it.

import type { VectorReader, VectorWriter } from '../app/records/record-access.ts';
import type { Catalog } from '../catalog/port.ts';
import type { ProjectAccess } from '../domain/access.ts';
import type { Position } from '../domain/administration/pages.ts';
import type { Permission } from '../domain/administration/permissions.ts';
import type { ApiVersion, RequestedVersion } from '../domain/api-version.ts';
import type { Backups, Collections, Schedules } from '../domain/backups/services.ts';
import type { NamespaceBranches } from '../domain/branches/services.ts';
import type { ModelListing } from '../domain/embedding/current-source.ts';
import type { ModelChanges } from '../domain/embedding/model-change-service.ts';
import type { Reembeddings } from '../domain/embedding/reembedding.ts';
import type { TimeToLives } from '../domain/expiry/services.ts';
import type { Fault, FaultName } from '../domain/faults.ts';
import type { ChangeFeeds, IndexHistories } from '../domain/history/services.ts';
import type { IndexLifecycle } from '../domain/index-lifecycle.ts';
import type { Index, IndexProfile } from '../domain/index-model.ts';
import type { Inference } from '../domain/inference/port.ts';
import type { IndexChecks } from '../domain/integrity/services.ts';
import type { JsonObject } from '../domain/json.ts';
import type { LiveView } from '../domain/live.ts';
import type { MemoryProfiles } from '../domain/memory-profile.ts';
import type { Overviews } from '../domain/overview.ts';
import type { QueryValues } from '../domain/query-values.ts';
import type { RecallPromises } from '../domain/recall-promise.ts';
import type { AnswerText } from '../domain/records/answer-text.ts';
import type { IndexRecoveries } from '../domain/recovery/services.ts';
import type { ToolGuide } from '../domain/tool-guide.ts';
import type { DataAnswer } from './data-request.ts';
import type { AliasRefusal, RequestNamespaces } from './request-namespaces.ts';
import type { RecordsAnswer } from './rest/records/records-answer.ts';
import type { StatsAnswer } from './rest/records/stats-answer.ts';
import type { TObject, TSchema } from './schema/type.ts';

/**
 * The format of error bodies of an endpoint; `message` contains only a message. A caller without a valid credential
 * gets `standard`, except from `identity`, `oauth` and `openai`, which always use their own format.
 */
export type ErrorFamily = 'standard' | 'rpc' | 'both' | 'identity' | 'oauth' | 'message' | 'openai' | 'mcp';

/**
 * The credential of a caller: a project's API key (`bearer-key`: also as a bearer token), the access token of a
 * principal, a session token or key, a session of the console, or none.
 */
export type Credential = 'api-key' | 'bearer-key' | 'access-token' | 'session' | 'console-session' | 'none';

export interface Success {
  readonly status: number;
  readonly description: string;
  /** Absent if the response has no body. */
  readonly schema?: TSchema;
  /** Media type of the body, by default JSON. */
  readonly mediaType?: string;
  /** Schemas of the body in other media types. */
  readonly alternatives?: Readonly<Record<string, TSchema>>;
  /** Additional response headers, in lower case. */
  readonly headers?: TObject;
}

export interface EndpointDetails {
  /** operationId in OpenAPI, in snake_case; unique. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With parameters in braces, as in `/indexes/{index_name}`. */
  readonly path: string;
  /** True where the last parameter may contain slashes. */
  readonly isOpenEnded?: boolean;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** The kind of index that it serves; absent for both. Others are refused before the body is read. */
  readonly indexKind?: 'vectors' | 'documents';
  /** First version with this endpoint. Documentation only: callers of older versions may use it, too. */
  readonly since: ApiVersion;
  /** Permission that the caller's roles must include; checked before reading the body. Null: any valid credential. */
  readonly permission: Permission | null;
  readonly errors: ErrorFamily;
  /** Set where it differs from the usual one of this part of the interface. */
  readonly credential?: Credential;
  /** `identity` echoes the version in force; `ignored` is for clients that send any version or none. */
  readonly versioning?: 'identity' | 'ignored';
  readonly params?: TObject;
  readonly query?: TObject;
  /** Additional request headers, in lower case. */
  readonly headers?: TObject;
  /** Schema of the JSON body; absent when the endpoint takes none. */
  readonly body?: TSchema;
  /** True when the body is optional. */
  readonly bodyOptional?: boolean;
  /** True where searches that an endpoint of the main thread makes are at the moment of the request's header. */
  readonly readsPast?: boolean;
  /** Media types of the body, by default JSON. */
  readonly bodyTypes?: readonly string[];
  readonly success: Success;
  /** The success response for callers of older versions. */
  readonly olderSuccess?: { readonly until: ApiVersion; readonly success: Success };
  /** Further responses. */
  readonly pages?: readonly Success[];
  /** Faults in addition to those of every endpoint (401, 413, 429, 500, version). */
  readonly faults: readonly FaultName[];
}

export interface Reply {
  readonly status: number;
  /** A value that is rendered as JSON. A reply has a value, JSON text, a page, or no body. */
  readonly body?: unknown;
  readonly jsonText?: string;
  /** An HTML page. */
  readonly html?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The reply of a data endpoint. */
export interface DataReply extends Reply {
  /** Replaces the body. */
  readonly records?: RecordsAnswer;
  /** Replaces the body. */
  readonly stats?: StatsAnswer;
  /** Replaces the body: JSON text that may be long. */
  readonly written?: AnswerText;
  /** The explanation of a search, if requested. */
  readonly explanation?: object;
}

/** A reply whose content is streamed. */
export interface StreamedReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: AsyncIterable<Uint8Array | string>;
  /** The last piece of one that fails after its first; absent where the connection is cut. */
  readonly failed?: (fault: Fault) => string;
}

export type { QueryValues };

/** The services for handlers of the control plane. */
export interface ControlServices {
  readonly catalog: Catalog;
  readonly indexes: IndexLifecycle;
  readonly backups: Backups;
  readonly collections: Collections;
  readonly schedules: Schedules;
  readonly recoveries: IndexRecoveries;
  readonly cursors: {
    seal(position: Position, boundTo: string): string;
    open(token: string | undefined, boundTo: string): Position | null;
  };
  /** The embedding models for indexes. */
  readonly inference: ModelListing;
  readonly reembeddings: Reembeddings;
  readonly modelChanges: ModelChanges;
  readonly checks: IndexChecks;
  readonly timeToLives: TimeToLives;
  readonly recallPromises: RecallPromises;
  readonly memoryProfiles: MemoryProfiles;
  readonly histories: IndexHistories;
  readonly feeds: ChangeFeeds;
  readonly branches: NamespaceBranches;
  readonly overviews: Overviews;
  readonly live: LiveView;
  readonly tools: ToolGuide;
}

export interface ControlCall {
  readonly access: ProjectAccess;
  readonly version: RequestedVersion;
  readonly params: Readonly<Record<string, string>>;
  readonly query: QueryValues;
  /** Parsed but unvalidated JSON; `undefined` when the body is empty. `bodyText` is its source. */
  readonly body: unknown;
  readonly bodyText: string;
  readonly services: ControlServices;
  /** Aborts when the client disconnects before its answer. */
  readonly signal: AbortSignal;
}

export interface ControlEndpoint extends EndpointDetails {
  readonly handle: (call: ControlCall) => Promise<Reply | StreamedReply>;
}

/** The input of handlers of the data plane, which run in engine threads, beside the data. */
export interface DataCall<Store> {
  readonly access: ProjectAccess;
  readonly version: RequestedVersion;
  readonly index: IndexProfile;
  /** Reads the names of namespaces, of which some may be aliases. */
  readonly namespaces: RequestNamespaces;
  readonly params: Readonly<Record<string, string>>;
  readonly query: QueryValues;
  /** As of `DataRequest`. */
  readonly answerBytesMax?: number;
  /** JSON that the handler parses, so that the main thread need not; or the converted message of another protocol. */
  readonly body: Uint8Array | JsonObject;
  readonly store: Store;
}

/** A data request on the main thread, which calls models: engine threads only search and store. */
export interface PreprocessorCall {
  readonly index: Pick<
    Index,
    'id' | 'storageId' | 'name' | 'embed' | 'dimension' | 'documents' | 'timeToLive'
  >;
  /** The header with the moment at which to read, as received. */
  readonly asOf?: string;
  readonly params: Readonly<Record<string, string>>;
  /** Refuses aliases where the endpoint does. */
  readonly namespaces: Pick<RequestNamespaces, 'read'>;
  /** The body as a stream of bounded length. At its end the caller has been authenticated again. */
  readonly body: AsyncIterable<Uint8Array>;
  readonly inference: Inference;
  /** Aborts when the client disconnects before its answer. */
  readonly signal: AbortSignal;
  /** Remembers a query by text, for comparisons of models; absent where nothing does. */
  readonly noteQuery?: (text: string) => void;
  /** Passes the request to its endpoint in an engine thread, with this body instead of the client's. */
  readonly run: (body: readonly Uint8Array[]) => Promise<DataAnswer>;
}

/** The main thread's work before and after the engine's part of an endpoint. @throws Fault */
export type Preprocessor = (call: PreprocessorCall) => Promise<DataAnswer>;

/** The description of a data endpoint on the main thread. */
export interface DataRoute extends EndpointDetails {
  readonly queue: DataEndpoint['queue'];
  /** As of `DataEndpoint`. */
  readonly aliasRefusal?: AliasRefusal;
  /** If absent, the client's body goes to the engine thread unchanged. */
  readonly preprocess?: Preprocessor;
}

/** `queue` names the kind of engine thread that runs it: any reader, or the one writer of the index. */
export type DataEndpoint = EndpointDetails &
  (
    | {
        readonly queue: 'read';
        /** Absent when it resolves aliases. */
        readonly aliasRefusal?: AliasRefusal;
        readonly handle: (call: DataCall<VectorReader>) => Promise<DataReply>;
      }
    | {
        readonly queue: 'write';
        /** The fault of a request that names an alias. */
        readonly aliasRefusal: AliasRefusal;
        readonly handle: (call: DataCall<VectorWriter>) => Promise<Reply>;
      }
  );
