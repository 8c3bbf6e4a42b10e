// The points of a map in a grid, so that those in view and those near the pointer are found without looking at all.
import type { Viewport } from './viewport.ts';

/** Cells of the grid along each side: 2 to the power of 7. */
const CELLS = 128;
const CELL_SHIFT = 9;

export class Cloud {
  readonly x: Uint16Array;
  readonly y: Uint16Array;
  /** Where the points of each cell begin in `order`; those of a cell are in the order of the map. */
  readonly #begins: Uint32Array;
  readonly #order: Uint32Array;

  constructor(x: Uint16Array, y: Uint16Array) {
    this.x = x;
    this.y = y;
    this.#begins = new Uint32Array(CELLS * CELLS + 1);
    this.#order = new Uint32Array(x.length);
    const cellOf = (point: number) =>
      ((y[point] ?? 0) >> CELL_SHIFT) * CELLS + ((x[point] ?? 0) >> CELL_SHIFT);
    const begins = this.#begins;
    for (let point = 0; point < x.length; point++) {
      const next = cellOf(point) + 1;
      begins[next] = (begins[next] ?? 0) + 1;
    }
    for (let cell = 1; cell < begins.length; cell++)
      begins[cell] = (begins[cell] ?? 0) + (begins[cell - 1] ?? 0);
    const filled = begins.slice();
    for (let point = 0; point < x.length; point++) {
      const cell = cellOf(point);
      const at = filled[cell] ?? 0;
      this.#order[at] = point;
      filled[cell] = at + 1;
    }
  }

  get count(): number {
    return this.x.length;
  }

  /**
   * Visits the points of the cells in view. Of more than `shownMax`, those that come first in the map: an even sample.
   * @returns how many were visited
   */
  visit(view: Viewport, shownMax: number, visit: (point: number) => void): number {
    const { left, right, top, bottom } = this.#cellsOf(view);
    let inView = 0;
    for (let row = top; row <= bottom; row++) inView += this.#begin(row, right + 1) - this.#begin(row, left);
    const until = inView <= shownMax ? this.count : Math.floor((this.count * shownMax) / inView);
    let visited = 0;
    for (let row = top; row <= bottom; row++) {
      for (let column = left; column <= right; column++) {
        const end = this.#begin(row, column + 1);
        for (let at = this.#begin(row, column); at < end; at++) {
          const point = this.#order[at] ?? 0;
          if (point >= until) break;
          visit(point);
          visited++;
        }
      }
    }
    return visited;
  }

  /** The point nearest to a place of the canvas, at most `reach` pixels away; -1 without one. */
  nearest(view: Viewport, at: { readonly x: number; readonly y: number }, reach: number): number {
    const middle = view.toMap(at.x, at.y);
    const near = view.around(middle, reach);
    let [nearest, distance] = [-1, (reach / view.scale) ** 2];
    this.visit(near, Number.POSITIVE_INFINITY, (point) => {
      const apart = ((this.x[point] ?? 0) - middle.x) ** 2 + ((this.y[point] ?? 0) - middle.y) ** 2;
      if (apart <= distance) [nearest, distance] = [point, apart];
    });
    return nearest;
  }

  #begin(row: number, column: number): number {
    return this.#begins[row * CELLS + column] ?? 0;
  }

  #cellsOf(view: Viewport) {
    const bounded = (value: number) => Math.min(CELLS - 1, Math.max(0, value >> CELL_SHIFT));
    const first = view.toMap(0, 0);
    const last = view.toMap(view.width, view.height);
    return {
      ...{ left: bounded(first.x), right: bounded(last.x), top: bounded(first.y), bottom: bounded(last.y) },
    };
  }
}
