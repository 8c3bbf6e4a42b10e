// The points of a layout, collected from the records of a namespace.
import { parseMetadata } from '../domain/records/metadata.ts';
import { type PackedRecords, unpackRecords } from '../engine/port/packed-records.ts';
import { FieldValues } from './field-values.ts';
import { NEIGHBORS, NeighborTable } from './neighbor-table.ts';
import type { NeighborBatch, ProjectorStart } from './port.ts';
import { mixed } from './random.ts';
import { SKETCH_LENGTH, sketch } from './sketch.ts';

export class PointSet {
  readonly #start: ProjectorStart;
  readonly #ids: string[] = [];
  readonly #sketches: Float32Array;
  readonly #fields: readonly FieldValues[];
  #points: ReadonlyMap<string, number> | null = null;
  #neighbors: NeighborTable | null = null;

  constructor(start: ProjectorStart) {
    this.#start = start;
    this.#sketches = new Float32Array(start.capacity * SKETCH_LENGTH);
    this.#fields = start.fields.map((name) => new FieldValues(name, start.capacity));
  }

  get ids(): readonly string[] {
    return this.#ids;
  }

  get sketches(): Float32Array {
    return this.#sketches;
  }

  get fields(): readonly FieldValues[] {
    return this.#fields;
  }

  get neighbors(): NeighborTable {
    this.#neighbors ??= new NeighborTable(this.#ids.length);
    return this.#neighbors;
  }

  add(records: PackedRecords): void {
    const { capacity, share, metric } = this.#start;
    for (const { id, values, sparse, metadataJson } of unpackRecords(records)) {
      if (values === null && sparse === null) continue;
      if (this.#ids.length === capacity || !isChosen(id, share)) continue;
      const point = this.#ids.push(id) - 1;
      const own = this.#sketches.subarray(point * SKETCH_LENGTH, (point + 1) * SKETCH_LENGTH);
      sketch({ values, sparse }, own, metric === 'cosine' || values === null);
      if (this.#fields.length === 0 || metadataJson === null) continue;
      const metadata = parseMetadata(metadataJson);
      for (const field of this.#fields) field.set(point, metadata[field.name]);
    }
  }

  setNeighbors({ from, counts, ids, scores }: NeighborBatch): void {
    this.#points ??= new Map(this.#ids.map((id, point) => [id, point]));
    let at = 0;
    for (const [i, count] of counts.entries()) {
      const found: { point: number; distance: number }[] = [];
      const best = scores[at] ?? 0;
      for (const end = at + count; at < end; at++) {
        const point = this.#points.get(ids[at] ?? '');
        if (point === undefined || point === from + i || found.length === NEIGHBORS) continue;
        found.push({ point, distance: this.#distance(scores[at] ?? 0, best) });
      }
      this.neighbors.set(from + i, found);
    }
  }

  /** A distance for a score, given the best of the same list. */
  #distance(score: number, best: number): number {
    const { metric, isDense } = this.#start;
    if (isDense && metric === 'cosine') return Math.max(0, 1 - score);
    if (isDense && metric === 'euclidean') return Math.sqrt(Math.max(0, score));
    return Math.max(0, best - score);
  }
}

/** The same ids for the same share, whatever else there is. */
function isChosen(id: string, share: number): boolean {
  if (share >= 1) return true;
  let hash = id.length;
  for (let i = 0; i < id.length; i++) hash = mixed(hash ^ Math.imul(id.charCodeAt(i), 0x9e3779b1));
  return hash < share * 2 ** 32;
}
