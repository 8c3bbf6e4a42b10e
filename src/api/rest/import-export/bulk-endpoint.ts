// The type of endpoints on an index's address that the main thread serves: imports, exports, namespace aliases and maps.
import type { ProjectAccess } from '../../../domain/access.ts';
import type { PageCursors } from '../../../domain/administration/page-cursors.ts';
import type { SharedAliases } from '../../../domain/aliases/alias-names.ts';
import type { NamespaceAliases } from '../../../domain/aliases/services.ts';
import type { RequestedVersion } from '../../../domain/api-version.ts';
import type { Exports, Imports } from '../../../domain/imports/transfer-services.ts';
import type { Index } from '../../../domain/index-model.ts';
import type { NamespaceMaps } from '../../../domain/maps/namespace-maps.ts';
import type { EndpointDetails, QueryValues, Reply, StreamedReply } from '../../endpoint.ts';

export interface BulkServices {
  readonly imports: Imports;
  readonly exports: Exports;
  readonly aliases: NamespaceAliases;
  /** The aliases of an index; undefined when it has none. */
  readonly sharedAliases: (indexId: string) => SharedAliases | undefined;
  readonly maps: NamespaceMaps;
  readonly cursors: PageCursors;
}

export interface BulkCall {
  readonly access: ProjectAccess;
  readonly index: Index;
  readonly version: RequestedVersion;
  readonly params: Readonly<Record<string, string>>;
  readonly query: QueryValues;
  /** Parsed, unvalidated JSON; `undefined` if the body is empty. */
  readonly body: unknown;
  readonly services: BulkServices;
}

export interface BulkEndpoint extends EndpointDetails {
  readonly handle: (call: BulkCall) => Promise<Reply | StreamedReply>;
}
