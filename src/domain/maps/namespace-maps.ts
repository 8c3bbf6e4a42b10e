// Maps of namespaces: their records as points in the plane, near each other where the vectors are.
import type { Index } from '../index-model.ts';

/** Records of a map at most; of a larger namespace, an even sample. */
export const MAP_POINTS_MAX = 1_000_000;
/** Metadata fields whose values are kept with a map. */
export const MAP_FIELDS_MAX = 16;
/** Coordinates are whole numbers from 0 to this. */
export const COORDINATE_MAX = 65_535;
export const MAP_PAGE_DEFAULT = 10_000;
export const MAP_PAGE_MAX = 20_000;

/** The values of a field, as the codes of points: 0 is none. */
export type MapField =
  | {
      readonly name: string;
      readonly kind: 'values';
      /** Code 1 is the first of them, and so on; the code after the last stands for other values. */
      readonly values: readonly { readonly value: string | number | boolean; readonly count: number }[];
      /** Points with other values. */
      readonly others: number;
    }
  | {
      readonly name: string;
      /** Codes from 1, the least, to 255, the greatest. */
      readonly kind: 'numbers';
      readonly min: number;
      readonly max: number;
    };

export interface MapSummary {
  readonly points: number;
  /** Records of the namespace when the map was made. */
  readonly total: number;
  /** ISO time. */
  readonly madeAt: string;
  readonly fields: readonly MapField[];
}

export interface MapWork {
  readonly state: 'Pending' | 'Running' | 'Failed';
  readonly percent: number;
  /** Why it failed. */
  readonly error: string | null;
}

export interface MapDetails {
  /** Null until it has been made. */
  readonly map: MapSummary | null;
  /** False once the index has changed since. */
  readonly isCurrent: boolean;
  /** What is being done, or why the last try failed; null when there is nothing to say. */
  readonly work: MapWork | null;
}

export interface MapPage {
  readonly offset: number;
  readonly limit: number;
  /** The field whose codes to return; null for none. */
  readonly field: string | null;
  readonly hasIds: boolean;
  readonly hasPositions: boolean;
}

/** Points of a map: one number or text each, in the same order. */
export interface MapPoints {
  readonly madeAt: string;
  /** Points of the map. */
  readonly count: number;
  /** Whole numbers from 0 to COORDINATE_MAX. */
  readonly x: readonly number[] | null;
  readonly y: readonly number[] | null;
  readonly ids: readonly string[] | null;
  readonly codes: readonly number[] | null;
}

/** Namespaces are named as they are stored. */
export interface NamespaceMaps {
  /** @throws namespace-not-found */
  describe(index: Index, namespace: string): Promise<MapDetails>;
  /** Makes the map, unless it is current or being made. @throws namespace-not-found */
  make(index: Index, namespace: string): Promise<MapDetails>;
  /** A page of points, of which every first part is an even sample. @throws map-not-found, invalid-argument */
  points(index: Index, namespace: string, page: MapPage): Promise<MapPoints>;
}
