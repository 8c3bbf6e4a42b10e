// What every engine that runs inside a process has to offer to be compared.
import type { Metric } from '../../../src/domain/index-model.ts';
import type { RowFile } from '../data/row-file.ts';

/** Numbers that an engine lets its user choose, under the names it gives them. */
export type Setting = Readonly<Record<string, number>>;

export function settingText(setting: Setting): string {
  return Object.entries(setting)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

export interface Shape {
  readonly dimension: number;
  readonly rows: number;
  readonly metric: Metric;
}

/** A query in both forms that engines want, so that changing the form costs no engine time. */
export interface Query {
  readonly values: Float32Array;
  readonly plain: readonly number[];
}

export interface QueryOptions {
  readonly k: number;
  readonly search: Setting;
  /** Only records of slices below this one; null: all records. */
  readonly passing: number | null;
}

/** What is known of an engine without loading it. */
export interface Engine {
  readonly name: string;
  /** Package whose version is reported; null for our own. */
  readonly peer: string | null;
  /** From quick to thorough; short runs take the first only. */
  readonly builds: readonly Setting[];
  readonly searches: readonly Setting[];
  /** Fewer of them, as each is tried with many filters; empty for engines without. */
  readonly filterSearches: readonly Setting[];
  /** What runs it: this Node process's code, or the class of that name in `python/engines.py`. */
  readonly runs: NodeRun | string;
}

export interface NodeRun {
  /** Makes an index of all rows (ids are positions) in an empty folder and closes it. */
  build(
    folder: string,
    rows: RowFile,
    options: { readonly metric: Metric; readonly build: Setting },
  ): Promise<void>;
  /** Opens what was built, ready to answer at full speed. */
  open(folder: string, options: Shape & { readonly build: Setting }): Promise<OpenEngine>;
}

export interface OpenEngine {
  /** Called before the first query with a setting. */
  choose?(search: Setting): void;
  /** Positions of the nearest records, best first. */
  query(query: Query, options: QueryOptions): readonly number[] | Promise<readonly number[]>;
  /** Bytes of memory by the engine's own account. */
  heldBytes?(): number;
  close(): void | Promise<void>;
}
