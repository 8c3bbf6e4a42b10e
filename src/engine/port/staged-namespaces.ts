// Namespaces in the making: a job fills them where nobody sees or counts them, and all are published at once or none.
import type { IndexProfile, MetadataSchema } from '../../domain/index-model.ts';

/** Names that callers give have no such character. */
const MARK = '\0';

/** Records of others that a namespace may have got while it was in the making, all namespaces of an owner together. */
export const MERGED_RECORDS_MAX = 10_000;

export interface NewNamespace {
  readonly name: string;
  readonly schema: MetadataSchema | null;
}

export interface StagedNamespace extends NewNamespace {
  /** Who fills it: an id without NUL. */
  readonly owner: string;
  readonly recordCount: number;
}

export interface StagedNamespaces {
  /** Makes namespaces in the making, those that are not there yet. Writing to their staged names makes them, too. */
  stageNamespaces(profile: IndexProfile, owner: string, namespaces: readonly NewNamespace[]): Promise<void>;
  /** Those of all owners. */
  stagedNamespaces(profile: IndexProfile): Promise<readonly StagedNamespace[]>;
  /**
   * Gives an owner's namespaces their names, in one transaction. Where others have made one of that name meanwhile, both
   * become one: records that others wrote replace those of the same ids, and a schema they gave stays.
   * No effect when the owner has none, so it is safe to repeat.
   * @throws namespace-exists when others have written more than MERGED_RECORDS_MAX records; nothing is published then
   */
  publishStaged(profile: IndexProfile, owner: string): Promise<void>;
  /** Removes what an owner has not published. Safe to repeat. */
  dropStaged(profile: IndexProfile, owner: string): Promise<void>;
}

/** The name under which records of a namespace in the making are written. */
export function stagedName(owner: string, namespace: string): string {
  return `${MARK}${owner}${MARK}${namespace}`;
}

export function isStagedName(name: string): boolean {
  return name.startsWith(MARK);
}

/** What `stagedName` was made of. */
export function partsOfStagedName(name: string): { readonly owner: string; readonly name: string } {
  const end = name.indexOf(MARK, MARK.length);
  return { owner: name.slice(MARK.length, end), name: name.slice(end + MARK.length) };
}
