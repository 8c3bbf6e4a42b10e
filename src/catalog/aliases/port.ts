// The catalog's port for namespace aliases.
import type { NamespaceAlias } from '../../domain/aliases/alias-model.ts';

export interface AliasStore {
  /** Every alias of every index, or of one, by index and name. */
  list(indexId?: string): Promise<readonly NamespaceAlias[]>;
  /** Inserts an alias, or replaces the one of its index and name. False when the index is gone. */
  put(alias: NamespaceAlias): Promise<boolean>;
  /** No effect without such a row. The deletion of an index deletes its aliases. */
  delete(indexId: string, name: string): Promise<void>;
}
