// Moves points until neighbors lie together: UMAP's stochastic gradient descent with negative samples (McInnes, Healy and
// Melville, 2018, section 3.2).
import { PULLS, PUSHES, stepOf } from './curve.ts';
import type { WeightedEdges } from './fuzzy-graph.ts';
import { Random } from './random.ts';

/** Random points that a point is pushed from, each time it is pulled to a neighbor. */
const NEGATIVES = 5;
const GRADIENT_MAX = 4;
const SEED = 20_264;

export interface OptimizerOptions {
  readonly epochs: number;
  /** Step width at the beginning; it sinks to 0. */
  readonly rate: number;
}

export class LayoutOptimizer {
  readonly #edges: WeightedEdges;
  readonly #positions: Float32Array;
  readonly #options: OptimizerOptions;
  /** Epochs between two pulls along an edge: the lighter it is, the more. */
  readonly #periods: Float32Array;
  readonly #due: Float32Array;
  readonly #random = new Random(SEED);
  #epoch = 0;

  /** @param positions x and y of each point; they are changed */
  constructor(edges: WeightedEdges, positions: Float32Array, options: OptimizerOptions) {
    this.#edges = edges;
    this.#positions = positions;
    this.#options = options;
    const heaviest = edges.weights.reduce((most, weight) => Math.max(most, weight), 0);
    // Both ends of an edge are pulled in turn, so each edge counts twice.
    this.#periods = edges.weights.map((weight) => heaviest / weight / 2);
    this.#due = this.#periods.slice();
  }

  get done(): number {
    return this.#epoch / this.#options.epochs;
  }

  /** Runs one epoch. No effect after the last. */
  step(): void {
    const { epochs, rate } = this.#options;
    if (this.#epoch >= epochs) return;
    const alpha = rate * (1 - this.#epoch / epochs);
    this.#epoch++;
    const { from, to } = this.#edges;
    const due = this.#due;
    for (let edge = 0; edge < from.length; edge++) {
      let at = due[edge] ?? 0;
      if (at > this.#epoch) continue;
      const period = this.#periods[edge] ?? 1;
      const [one, other] = [from[edge] ?? 0, to[edge] ?? 0];
      // The ends take turns as the one that is pushed from random points.
      for (let turn = Math.round(at / period) & 1; at <= this.#epoch; at += period, turn ^= 1)
        if (turn === 0) this.#move(one, other, alpha);
        else this.#move(other, one, alpha);
      due[edge] = at;
    }
  }

  #move(point: number, neighbor: number, alpha: number): void {
    const positions = this.#positions;
    const [a, b] = [2 * point, 2 * neighbor];
    let x = positions[a] ?? 0;
    let y = positions[a + 1] ?? 0;
    const nearX = positions[b] ?? 0;
    const nearY = positions[b + 1] ?? 0;
    const dx = x - nearX;
    const dy = y - nearY;
    const pull = PULLS[stepOf(dx * dx + dy * dy)] ?? 0;
    const pullX = alpha * bounded(pull * dx);
    const pullY = alpha * bounded(pull * dy);
    x += pullX;
    y += pullY;
    positions[b] = nearX - pullX;
    positions[b + 1] = nearY - pullY;
    const count = positions.length >>> 1;
    for (let sample = 0; sample < NEGATIVES; sample++) {
      const far = this.#random.below(count);
      if (far === point) continue;
      const awayX = x - (positions[2 * far] ?? 0);
      const awayY = y - (positions[2 * far + 1] ?? 0);
      const push = PUSHES[stepOf(awayX * awayX + awayY * awayY)] ?? 0;
      x += alpha * bounded(push * awayX);
      y += alpha * bounded(push * awayY);
    }
    positions[a] = x;
    positions[a + 1] = y;
  }
}

function bounded(gradient: number): number {
  return gradient > GRADIENT_MAX ? GRADIENT_MAX : gradient < -GRADIENT_MAX ? -GRADIENT_MAX : gradient;
}
