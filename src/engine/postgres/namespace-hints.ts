// What was last seen of namespaces, to choose a statement by. A statement shows whether its hint was right, so that a
// hint that other nodes have made wrong costs a second statement and changes no answer.

import type { Lsn } from '../port/reader-and-writer.ts';
import type { CountedNamespaces } from './counted-namespaces.ts';

const NAMESPACES_MAX = 10_000;
/** Of all indexes, with those that are gone. */
const COUNTED_NAMESPACES_MAX = 200_000;

export interface NamespaceHint {
  readonly schema: string | null;
  /** Whether it has so many records that a graph may answer. */
  readonly isLarge: boolean;
}

export interface NamespaceCount {
  readonly prefix: string;
  /** The last write when they were counted: no later state has the number of another one. */
  readonly lsn: Lsn;
  readonly total: number;
}

const UNKNOWN: NamespaceHint = { schema: null, isLarge: false };

export class NamespaceHints {
  /** The one unused for longest first. */
  readonly #hints = new Map<string, NamespaceHint>();
  /** By index, the one counted first first: every page of a long list has the same total. */
  readonly #counts = new Map<string, NamespaceCount>();

  /** By index, the one unused for longest first. */
  readonly #counted = new Map<string, CountedNamespaces>();
  #countedLength = 0;

  /** The records of each namespace after a write; null when they are not known. */
  countedNamespaces(indexId: string): CountedNamespaces | null {
    const known = this.#counted.get(indexId);
    if (known === undefined) return null;
    this.#counted.delete(indexId);
    this.#counted.set(indexId, known);
    return known;
  }

  noteCountedNamespaces(indexId: string, counted: CountedNamespaces): void {
    this.#forgetCounted(indexId);
    this.#counted.set(indexId, counted);
    this.#countedLength += counted.size;
    for (const oldest of this.#counted.keys()) {
      if (this.#countedLength <= COUNTED_NAMESPACES_MAX) return;
      this.#forgetCounted(oldest);
    }
  }

  #forgetCounted(indexId: string): void {
    this.#countedLength -= this.#counted.get(indexId)?.size ?? 0;
    this.#counted.delete(indexId);
  }

  /** How many namespaces have the prefix after a write; null when that is not known. */
  counted(indexId: string, prefix: string): NamespaceCount | null {
    const known = this.#counts.get(indexId);
    return known?.prefix === prefix ? known : null;
  }

  noteCount(indexId: string, count: NamespaceCount): void {
    this.#counts.delete(indexId);
    this.#counts.set(indexId, count);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > NAMESPACES_MAX && oldest !== undefined) this.#counts.delete(oldest);
  }

  of(indexId: string, namespace: string): NamespaceHint {
    const key = keyOf(indexId, namespace);
    const hint = this.#hints.get(key);
    if (hint === undefined) return UNKNOWN;
    this.#hints.delete(key);
    this.#hints.set(key, hint);
    return hint;
  }

  note(indexId: string, namespace: string, hint: NamespaceHint): void {
    const key = keyOf(indexId, namespace);
    this.#hints.delete(key);
    // Most namespaces are what is assumed anyway.
    if (hint.schema === UNKNOWN.schema && hint.isLarge === UNKNOWN.isLarge) return;
    this.#hints.set(key, hint);
    const [oldest] = this.#hints.keys();
    if (this.#hints.size > NAMESPACES_MAX && oldest !== undefined) this.#hints.delete(oldest);
  }
}

function keyOf(indexId: string, namespace: string): string {
  return `${indexId} ${namespace}`;
}
