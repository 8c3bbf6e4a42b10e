// The aliases of one index as requests use them, and their form in memory that all threads share.
import { Buffer } from 'node:buffer';
import { parseOwnJson } from '../json.ts';
import { RecentMap } from '../recent-map.ts';

/** The alias that a change is about to make. */
export interface ReservedAlias {
  readonly name: string;
  readonly target: string;
}

/** Aliases as plain data, with stored names of targets. */
export interface AliasTable {
  readonly targets: readonly (readonly [name: string, target: string])[];
  /** Reads do not resolve it yet, but writes must leave its name and its target alone. */
  readonly reserved: ReservedAlias | null;
}

/** A table in memory that threads share. It never changes: another version replaces it. */
export interface SharedAliases {
  /** Unique in the process. */
  readonly version: number;
  readonly bytes: SharedArrayBuffer;
}

export class AliasNames {
  readonly #targets: ReadonlyMap<string, string>;
  readonly #targeted: ReadonlySet<string>;
  readonly #reserved: ReservedAlias | null;

  constructor({ targets, reserved }: AliasTable) {
    this.#targets = new Map(targets);
    this.#targeted = new Set(this.#targets.values());
    this.#reserved = reserved;
  }

  /** The stored name of an alias's target; undefined when `name` is no alias. */
  target(name: string): string | undefined {
    return this.#targets.get(name);
  }

  /** True when no namespace may have the name. */
  isAlias(name: string): boolean {
    return this.#targets.has(name) || this.#reserved?.name === name;
  }

  /** True when an alias needs the namespace. */
  isTarget(namespace: string): boolean {
    return this.#targeted.has(namespace) || this.#reserved?.target === namespace;
  }
}

let versions = 0;

/** Undefined for a table without aliases, so that requests of most indexes carry nothing. */
export function shareAliases(table: AliasTable): SharedAliases | undefined {
  if (table.targets.length === 0 && table.reserved === null) return undefined;
  const json = Buffer.from(JSON.stringify(table));
  const bytes = new SharedArrayBuffer(json.byteLength);
  Buffer.from(bytes).set(json);
  versions += 1;
  return { version: versions, bytes };
}

/** Tables that this thread has read lately. */
const READ_MAX = 64;
const read = new RecentMap<AliasNames>(READ_MAX);

/** Reads a table, once in each thread. */
export function readAliases({ version, bytes }: SharedAliases): AliasNames {
  const key = String(version);
  // Only `shareAliases` writes the bytes.
  return (
    read.get(key) ?? read.set(key, new AliasNames(parseOwnJson<AliasTable>(Buffer.from(bytes).toString())))
  );
}

/** The namespace that a read of this name is served from: the target of an alias, or the namespace itself. */
export function servedNamespace(shared: SharedAliases | undefined, name: string): string {
  return (shared === undefined ? undefined : readAliases(shared).target(name)) ?? name;
}
