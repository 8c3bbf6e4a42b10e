// The calls of a projection's thread.
import type { PackedRecords } from '../engine/port/packed-records.ts';
import type { LayoutRequest, NeighborBatch } from './port.ts';

export interface ProjectorMethods {
  readonly add: { readonly request: PackedRecords; readonly response: number };
  readonly ids: {
    readonly request: { readonly from: number; readonly count: number };
    readonly response: readonly string[];
  };
  readonly setNeighbors: { readonly request: NeighborBatch; readonly response: null };
  /** The notes are shares of the work, from 0 to 1. */
  readonly layOut: {
    readonly request: LayoutRequest;
    readonly response: Uint8Array<ArrayBuffer>;
    readonly note: number;
  };
}
