// What every server has to offer to be compared over the network.
import type { DataSet } from '../data/data-sets.ts';
import type { Setting } from '../engines/engine.ts';
import type { Lane } from './lane.ts';

export interface LoadCost {
  /** Until the last write was acknowledged. */
  readonly seconds: number;
  /** Until everything was indexed as well. */
  readonly indexedSeconds: number;
}

export interface Server {
  readonly name: string;
  readonly version: string;
  readonly searches: readonly Setting[];
  /** Settings tried with filters; empty for servers whose filters are not compared. */
  readonly filterSearches: readonly Setting[];
  /** Stores all records, ids are positions, `slice` as metadata; resolves when they are indexed. */
  load(data: DataSet): Promise<LoadCost>;
  /** Called before lanes are opened for a setting. */
  choose(search: Setting): Promise<void>;
  open(search: Setting, passing: number | null): Promise<Lane>;
  /** The bytes that ask for the k nearest of a query. */
  request(query: Float32Array, k: number, passing: number | null): Buffer;
  /** Positions in an answer, best first. @throws on an error answer */
  ids(answer: Buffer): readonly number[];
  /** Bytes that write records, for servers with an HTTP interface; null where that is not compared. */
  upsertRequest(first: number, rows: readonly Float32Array[]): Buffer | null;
  pid(): number;
  stop(): Promise<void>;
}
