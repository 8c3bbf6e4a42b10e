// The catalog's part for bulk imports: the errors of rows, kept to be downloaded.
import type { ImportError } from '../../domain/imports/import-model.ts';

export interface ImportErrorStore {
  /** Stores errors as number `first` and following; those of the same numbers are replaced. */
  put(importId: string, first: number, errors: readonly ImportError[]): Promise<void>;
  /** In order, from number `first` on. */
  list(
    importId: string,
    page: { readonly first: number; readonly limit: number },
  ): Promise<readonly ImportError[]>;
  /** Removes the errors of imports that have no job any more. */
  deleteOrphans(): Promise<void>;
}
