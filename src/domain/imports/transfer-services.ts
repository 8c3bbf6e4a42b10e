// What callers may do with imports and exports of one index.
import type { ProjectAccess } from '../access.ts';
import type { Page, PageQuery } from '../administration/pages.ts';
import type { Index } from '../index-model.ts';
import type { ExportFacts, WantedExport } from './export-model.ts';
import type { ImportError, ImportFacts, WantedImport } from './import-model.ts';

/** An index that the caller may see. */
export interface TransferScope {
  readonly access: ProjectAccess;
  readonly index: Index;
}

export interface ImportDesk {
  /** Stores the import; it runs when its turn comes. @throws invalid-argument, wrong-index-kind */
  start(scope: TransferScope, wanted: WantedImport): Promise<ImportFacts>;
  /** Newest first. */
  list(scope: TransferScope, page: PageQuery): Promise<Page<ImportFacts>>;
  /** @throws import-not-found */
  describe(scope: TransferScope, id: string): Promise<ImportFacts>;
  /** No effect on one that has ended. @throws import-not-found */
  cancel(scope: TransferScope, id: string): Promise<void>;
  /** What was refused, in the order of files and rows, as far as it was kept. @throws import-not-found */
  errors(scope: TransferScope, id: string): Promise<AsyncIterable<readonly ImportError[]>>;
}

export interface ExportFile {
  readonly bytes: number;
  readonly content: AsyncIterable<Uint8Array>;
}

export interface ExportDesk {
  /** @throws invalid-argument, wrong-index-kind */
  start(scope: TransferScope, wanted: WantedExport): Promise<ExportFacts>;
  /** Newest first. */
  list(scope: TransferScope, page: PageQuery): Promise<Page<ExportFacts>>;
  /** @throws export-not-found */
  describe(scope: TransferScope, id: string): Promise<ExportFacts>;
  /** Ends one that runs; removes what one that has ended left in the server's own storage. @throws export-not-found */
  remove(scope: TransferScope, id: string): Promise<void>;
  /** A file of a completed export in the server's own storage. @throws export-not-found, export-file-not-found */
  file(scope: TransferScope, id: string, path: string): Promise<ExportFile>;
}
