// The namespaces that a data request names: reads through an alias reach its target, writes to one are refused.
import { type AliasNames, readAliases, type SharedAliases } from '../domain/aliases/alias-names.ts';
import { fault } from '../domain/faults.ts';
import { namespaceToShown, namespaceToStored } from '../domain/records/record-id.ts';

export interface NamespaceGiven {
  readonly stored: string;
  /** As the caller wrote it, `""` when absent; the target of an alias. */
  readonly echo: string;
}

/** The fault of an endpoint that does not resolve aliases. */
export type AliasRefusal =
  | 'name-in-use-by-alias'
  | 'write-to-alias'
  | 'document-write-to-alias'
  | 'namespace-operation-on-alias';

export interface RequestNamespaces {
  /** Reads the name of a namespace. @throws invalid-argument, and the endpoint's refusal of aliases */
  read(value: unknown): NamespaceGiven;
  /** True when an alias needs the namespace of this stored name. */
  isTarget(stored: string): boolean;
}

/** Reads the name of a namespace, whether or not it is an alias. @throws invalid-argument */
export function readNamespace(value: unknown): NamespaceGiven {
  return { stored: namespaceToStored(value), echo: typeof value === 'string' ? value : '' };
}

const WITHOUT_ALIASES: RequestNamespaces = { read: readNamespace, isTarget: () => false };

/** @param refusal of the endpoint; undefined when it resolves aliases */
export function requestNamespaces(
  shared: SharedAliases | undefined,
  refusal: AliasRefusal | undefined,
): RequestNamespaces {
  if (shared === undefined) return WITHOUT_ALIASES;
  const names = readAliases(shared);
  return {
    read: (value) => (refusal === undefined ? resolved(names, value) : directName(names, refusal, value)),
    isTarget: (stored) => names.isTarget(stored),
  };
}

function resolved(names: AliasNames, value: unknown): NamespaceGiven {
  const given = readNamespace(value);
  const target = names.target(given.stored);
  return target === undefined ? given : { stored: target, echo: namespaceToShown(target) };
}

function directName(names: AliasNames, refusal: AliasRefusal, value: unknown): NamespaceGiven {
  const given = readNamespace(value);
  if (names.isAlias(given.stored)) throw fault(refusal, { name: given.stored });
  return given;
}
