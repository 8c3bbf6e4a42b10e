// The type of endpoints on an index's address that the main thread serves: imports, exports, namespace aliases, maps and
// judgment sets.
import type { ProjectAccess } from '../../../domain/access.ts';
import type { PageCursors } from '../../../domain/administration/page-cursors.ts';
import type { Permission } from '../../../domain/administration/permissions.ts';
import type { SharedAliases } from '../../../domain/aliases/alias-names.ts';
import type { NamespaceAliases } from '../../../domain/aliases/services.ts';
import type { RequestedVersion } from '../../../domain/api-version.ts';
import type { Exports, Imports } from '../../../domain/imports/transfer-services.ts';
import type { Index } from '../../../domain/index-model.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { JudgmentSets } from '../../../domain/judgments/services.ts';
import type { NamespaceMaps } from '../../../domain/maps/namespace-maps.ts';
import type { DataAnswer } from '../../data-request.ts';
import type { EndpointDetails, QueryValues, Reply, StreamedReply } from '../../endpoint.ts';

export interface BulkServices {
  readonly imports: Imports;
  readonly exports: Exports;
  readonly aliases: NamespaceAliases;
  /** The aliases of an index; undefined when it has none. */
  readonly sharedAliases: (indexId: string) => SharedAliases | undefined;
  readonly maps: NamespaceMaps;
  readonly judgments: JudgmentSets;
  readonly cursors: PageCursors;
}

export interface BulkCall {
  readonly access: ProjectAccess;
  /**
   * Whether the caller, as it is now, has a further permission than that of the endpoint.
   * @throws unauthenticated, permission-denied, access-forbidden, unknown-host for one that may no longer call the endpoint
   */
  readonly mayNow: (permission: Permission) => Promise<boolean>;
  readonly index: Index;
  readonly version: RequestedVersion;
  readonly params: Readonly<Record<string, string>>;
  readonly query: QueryValues;
  /** Parsed, unvalidated JSON; `undefined` if the body is empty. */
  readonly body: unknown;
  /**
   * The body of an endpoint that takes its bytes as they arrive; at its end, the caller and the index are checked again.
   * @throws payload-too-large, unknown-host, what admission throws
   */
  readonly content: AsyncIterable<Uint8Array>;
  readonly services: BulkServices;
  /** The header with the moment at which searches read, as received; absent for the present. */
  readonly asOf?: string;
  /** Runs a search of the caller's at the same index. @throws overloaded, and as `mayNow` */
  readonly search: (search: InnerSearch) => Promise<DataAnswer>;
  /** Aborts when the client disconnects before its answer. */
  readonly signal: AbortSignal;
}

/** A search that an endpoint makes for its caller. */
export interface InnerSearch {
  /** Of a data endpoint that reads. */
  readonly endpointId: string;
  readonly params: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

export interface BulkEndpoint extends EndpointDetails {
  /** Bounds of the body, where they are not those of the control plane. */
  readonly bodyBounds?: { readonly bytesMax: number; readonly structuresMax: number };
  /** True where the body may be lines of JSON instead; the call then has a list of their values. */
  readonly takesLines?: boolean;
  /** Set where the body is a file, which the call has as `content`: the bound on its bytes. */
  readonly fileBytesMax?: number;
  readonly handle: (call: BulkCall) => Promise<Reply | StreamedReply>;
}
