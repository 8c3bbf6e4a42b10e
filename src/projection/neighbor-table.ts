// The nearest neighbors of each point, as they come in.

/** Neighbors of a point that count; the usual number of UMAP. */
export const NEIGHBORS = 15;

export class NeighborTable {
  readonly count: number;
  /** NEIGHBORS numbers of points a point, nearest first; -1 where there are fewer. */
  readonly points: Int32Array;
  readonly distances: Float32Array;

  constructor(count: number) {
    this.count = count;
    this.points = new Int32Array(count * NEIGHBORS).fill(-1);
    this.distances = new Float32Array(count * NEIGHBORS);
  }

  /** Sets the neighbors of a point, nearest first; those beyond NEIGHBORS are ignored. */
  set(point: number, neighbors: readonly { readonly point: number; readonly distance: number }[]): void {
    for (const [rank, neighbor] of neighbors.slice(0, NEIGHBORS).entries()) {
      this.points[point * NEIGHBORS + rank] = neighbor.point;
      this.distances[point * NEIGHBORS + rank] = neighbor.distance;
    }
  }
}
