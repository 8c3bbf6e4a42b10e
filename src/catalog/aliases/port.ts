// The catalog's port for namespace aliases.
import type { NamespaceAlias } from '../../domain/aliases/alias-model.ts';

export interface AliasStore {
  /** Every alias of every index, or of one, by index and name. */
  list(indexId?: string): Promise<readonly NamespaceAlias[]>;
  /** True when the index has an alias of this name. */
  has(indexId: string, name: string): Promise<boolean>;
  /** Inserts an alias. An alias that has its name already stays. */
  insert(alias: NamespaceAlias): Promise<'stored' | 'name-taken' | 'index-gone'>;
  /** Changes the target and the times of an alias. @returns false when there is no alias of its index and name */
  repoint(alias: NamespaceAlias): Promise<boolean>;
  /** No effect without such a row. The deletion of an index deletes its aliases. */
  delete(indexId: string, name: string): Promise<void>;
}
