// The services for imports and exports of one index that APIs call.
import type { ProjectAccess } from '../access.ts';
import type { Page, PageQuery } from '../administration/pages.ts';
import type { Index } from '../index-model.ts';
import type { ExportDetails, RequestedExport } from './export-model.ts';
import type { ImportDetails, ImportError, RequestedImport, RequestedUpload } from './import-model.ts';

/** An index that the caller may see. */
export interface TransferScope {
  readonly access: ProjectAccess;
  readonly index: Index;
}

export interface Imports {
  /** Stores the import, which runs when its turn comes. @throws invalid-argument, wrong-index-kind */
  start(scope: TransferScope, requested: RequestedImport): Promise<ImportDetails>;
  /**
   * Stores a file, then its import, which removes the file when it ends.
   * @throws invalid-argument, wrong-index-kind, quota-exceeded, overloaded; what the content throws
   */
  upload(scope: TransferScope, requested: RequestedUpload): Promise<ImportDetails>;
  /** Newest first. */
  list(scope: TransferScope, page: PageQuery): Promise<Page<ImportDetails>>;
  /** @throws import-not-found */
  describe(scope: TransferScope, id: string): Promise<ImportDetails>;
  /** No effect on an import that has ended. @throws import-not-found */
  cancel(scope: TransferScope, id: string): Promise<void>;
  /** The stored errors, in the order of files and rows. @throws import-not-found */
  errors(scope: TransferScope, id: string): Promise<AsyncIterable<readonly ImportError[]>>;
}

export interface ExportFile {
  readonly bytes: number;
  readonly content: AsyncIterable<Uint8Array>;
}

export interface Exports {
  /** @throws invalid-argument, wrong-index-kind */
  start(scope: TransferScope, requested: RequestedExport): Promise<ExportDetails>;
  /** Newest first. */
  list(scope: TransferScope, page: PageQuery): Promise<Page<ExportDetails>>;
  /** @throws export-not-found */
  describe(scope: TransferScope, id: string): Promise<ExportDetails>;
  /** Cancels a running export; removes the files of a finished one from the server's own storage. @throws export-not-found */
  remove(scope: TransferScope, id: string): Promise<void>;
  /** Opens a file of a completed export in the server's own storage. @throws export-not-found, export-file-not-found */
  file(scope: TransferScope, id: string, path: string): Promise<ExportFile>;
}
