// The records of each namespace after a write, and after later ones from what those changed. Nothing else is read,
// sorted or rendered anew, however many namespaces there are.
import type { Lsn, NamespaceRecords } from '../port/reader-and-writer.ts';

/** Namespaces of a block that is made anew; it is halved at the double. */
const BLOCK_LENGTH = 512;
/** Names of namespaces that are gone, beside as many as there are. */
const NAMES_EXTRA_MAX = 1_000;

/** A state of an index. */
export interface CountedState {
  readonly lsn: Lsn;
  /** Tells its last write from another one of that number, as after a failover that lost writes; null for an unknown one. */
  readonly stamp: string | null;
}

/** A namespace as counted: its number, its name, its records. */
export type CountedNamespace = readonly [number: number, name: string, records: number];

/** A namespace that writes have changed; without name and records where it is not there, or not yet. */
export type ChangedNamespace = CountedNamespace | readonly [number: number, name: null, records: null];

type Block = readonly NamespaceRecords[];

export class CountedNamespaces {
  readonly state: CountedState;
  /** In bytewise order of names, all of which are ASCII. */
  readonly blocks: readonly Block[];
  readonly length: number;
  /** What it takes in memory: names, with those that are gone. */
  readonly size: number;
  /** By number. Shared with later states, which add to it: a number never gets another name. */
  readonly #names: Map<number, string>;

  private constructor(state: CountedState, blocks: readonly Block[], names: Map<number, string>) {
    this.state = state;
    this.blocks = blocks;
    this.length = blocks.reduce((sum, block) => sum + block.length, 0);
    this.#names = names;
    this.size = names.size + 1;
  }

  /** @param counted in bytewise order of names */
  static of(state: CountedState, counted: readonly CountedNamespace[]): CountedNamespaces {
    const names = new Map(counted.map(([number, name]) => [number, name]));
    return new CountedNamespaces(
      state,
      inBlocks(counted.map(([, name, recordCount]) => ({ name, recordCount }))),
      names,
    );
  }

  /** A later state. Null where so many namespaces are gone that all are better counted anew. */
  after(state: CountedState, changed: readonly ChangedNamespace[]): CountedNamespaces | null {
    const changes = new Map<string, number | null>();
    for (const [number, name] of changed) {
      const known = name === null ? this.#names.get(number) : undefined;
      if (known !== undefined) changes.set(known, null);
    }
    // After those that are gone: another one may have the name of one of them.
    for (const [number, name, records] of changed) {
      if (name === null) continue;
      this.#names.set(number, name);
      changes.set(name, records);
    }
    const later = new CountedNamespaces(state, changedBlocks(this.blocks, changes), this.#names);
    return this.#names.size > 2 * later.length + NAMES_EXTRA_MAX ? null : later;
  }
}

/** @param changes records by name; null for none */
function changedBlocks(
  blocks: readonly Block[],
  changes: ReadonlyMap<string, number | null>,
): readonly Block[] {
  const byBlock = Map.groupBy(changes, ([name]) => blockOf(blocks, name));
  return (blocks.length === 0 ? [[]] : blocks).flatMap((block, at): readonly Block[] => {
    const own = byBlock.get(at);
    if (own === undefined) return [block];
    const kept = block.filter(({ name }) => !changes.has(name));
    const put = own.flatMap(([name, recordCount]) => (recordCount === null ? [] : [{ name, recordCount }]));
    const merged = [...kept, ...put].sort((a, b) => (a.name < b.name ? -1 : 1));
    return merged.length > 2 * BLOCK_LENGTH ? inBlocks(merged) : merged.length === 0 ? [] : [merged];
  });
}

/** The block that has the name or would have it. */
function blockOf(blocks: readonly Block[], name: string): number {
  let [low, high] = [0, blocks.length];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((blocks[middle]?.[0]?.name ?? '') <= name) low = middle;
    else high = middle;
  }
  return low;
}

function inBlocks(sorted: Block): readonly Block[] {
  return Array.from({ length: Math.ceil(sorted.length / BLOCK_LENGTH) }, (_, at) =>
    sorted.slice(at * BLOCK_LENGTH, (at + 1) * BLOCK_LENGTH),
  );
}
