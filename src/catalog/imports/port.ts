// The catalog's port for bulk imports: the errors of rows, stored for download.
import type { ImportError } from '../../domain/imports/import-model.ts';

export interface ImportErrorStore {
  /** Stores errors from number `first` on and replaces those of the same numbers. */
  put(importId: string, first: number, errors: readonly ImportError[]): Promise<void>;
  /** In order, from number `first` on. */
  list(
    importId: string,
    page: { readonly first: number; readonly limit: number },
  ): Promise<readonly ImportError[]>;
  /** Removes the errors of imports without a job. */
  deleteOrphans(): Promise<void>;
}
