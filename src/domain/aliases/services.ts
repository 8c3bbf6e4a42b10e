// Namespace aliases as endpoints and request handling use them.
import type { Index } from '../index-model.ts';
import type { NamespaceAlias } from './alias-model.ts';
import type { SharedAliases } from './alias-names.ts';

export interface AliasPage {
  readonly prefix: string;
  /** The stored name of a target; undefined for every target. */
  readonly target: string | undefined;
  readonly limit: number;
  /** A name, exclusive; null for the first page. */
  readonly after: string | null;
}

/** A change is on disk, and every request that begins later sees it, when its promise resolves. */
export interface NamespaceAliases {
  /**
   * @throws alias-exists, name-in-use-by-namespace, name-is-target, target-namespace-not-found, target-is-alias,
   * aliases-exhausted
   */
  create(index: Index, name: string, target: string): Promise<NamespaceAlias>;
  /** In name order. `total` counts all that match, `next` is the last name of a page that is not the last. */
  list(
    indexId: string,
    page: AliasPage,
  ): { readonly items: readonly NamespaceAlias[]; readonly next: string | null; readonly total: number };
  /** @throws alias-not-found */
  describe(indexId: string, name: string): NamespaceAlias;
  /** The alias keeps its target when this fails. @throws alias-not-found, target-namespace-not-found, target-is-alias */
  repoint(index: Index, name: string, target: string): Promise<NamespaceAlias>;
  /** @throws alias-not-found */
  delete(index: Index, name: string): Promise<void>;
}

export interface AliasDirectory {
  /** The aliases of an index for its requests; undefined when it has none. */
  shared(indexId: string): SharedAliases | undefined;
  /** True when no namespace of the index may have the name. */
  isAlias(indexId: string, name: string): boolean;
}
