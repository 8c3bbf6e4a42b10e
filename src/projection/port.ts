// The port of projections: a worker that lays records out in the plane, given their nearest neighbors.
import type { Metric } from '../domain/index-model.ts';
import type { PackedRecords } from '../engine/port/packed-records.ts';

export interface ProjectorStart {
  readonly metric: Metric;
  /** Whether neighbors are found by dense vectors. */
  readonly isDense: boolean;
  /** The most records that will come. */
  readonly capacity: number;
  /** The share of the records to lay out, above 0, up to 1. */
  readonly share: number;
  /** Metadata fields whose values are kept beside the points. */
  readonly fields: readonly string[];
}

/** The nearest neighbors of consecutive points. */
export interface NeighborBatch {
  /** The first of the points. */
  readonly from: number;
  /** How many neighbors each point has, the nearest first. */
  readonly counts: readonly number[];
  /** Those of all points, one after the other, with their scores. */
  readonly ids: readonly string[];
  readonly scores: Float32Array;
}

/** What a map says of its making. */
export interface MapOrigin {
  /** The number of the namespace in the engine. */
  readonly namespace: number;
  /** The log sequence number of the records. */
  readonly lsn: number;
  /** The storage of the index whose writes that number counts; a change of the model takes another. */
  readonly storageId: string;
  /** Records of the namespace. */
  readonly total: number;
  /** ISO time. */
  readonly madeAt: string;
}

export interface LayoutRequest {
  readonly origin: MapOrigin;
  /** The file of the former map, from whose positions the layout begins; null for none. */
  readonly former: Uint8Array<ArrayBuffer> | null;
}

/** Lays out one namespace. Add all records, then the neighbors of all points. */
export interface Projector {
  /** @returns the number of points so far. The buffers of the records are transferred. */
  add(records: PackedRecords): Promise<number>;
  /** The ids of consecutive points. */
  ids(from: number, count: number): Promise<readonly string[]>;
  setNeighbors(batch: NeighborBatch): Promise<void>;
  /** @param onProgress hears shares from 0 to 1 @returns the bytes of the map's file */
  layOut(request: LayoutRequest, onProgress: (share: number) => void): Promise<Uint8Array<ArrayBuffer>>;
  /** Ends the work at once; safe to repeat. */
  close(): Promise<void>;
}

export type OpenProjector = (start: ProjectorStart) => Projector;
