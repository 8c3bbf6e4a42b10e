// Exact scores of rows of the row file: reads them into a workspace, neighbors together, and lets the kernel score
// them.
import type { Metric } from '../../../domain/index-model.ts';
import { queryBytes } from '../kernels/layout.ts';
import type { NamespaceRows } from '../storage/checked-rows.ts';
import { Layout, type Workspace } from './workspace.ts';

/** Maximum rows scored by one kernel call. */
export const BATCH_ROWS_MAX = 64;

export interface DenseQuery {
  readonly values: Float32Array;
  readonly metric: Metric;
}

/** Addresses of a scorer's blocks, in memory that the owner of the workspace provides. */
export interface RowScorerLayout {
  readonly query: number;
  readonly source: number;
  readonly rows: number;
  readonly scores: number;
}

/** Adds a scorer's blocks to a layout. @returns their offsets */
export function planRowScorer(layout: Layout, dimension: number): RowScorerLayout {
  return {
    query: layout.add(queryBytes(dimension)),
    source: layout.add(dimension * 4),
    rows: layout.add(BATCH_ROWS_MAX * dimension * 4),
    scores: layout.add(BATCH_ROWS_MAX * 8),
  };
}

export class RowScorer {
  readonly #workspace: Workspace;
  readonly #rows: NamespaceRows;
  readonly #dimension: number;
  readonly #layout: RowScorerLayout;
  readonly #rowsView: Uint8Array;
  readonly #scoresView: Float64Array;
  /** Where the scores will be. */
  readonly #printsView: Uint32Array;

  /** Prepares the query's block. Without `layout`, the scorer occupies the whole scratch of the workspace. */
  constructor(
    workspace: Workspace,
    rows: NamespaceRows,
    query: DenseQuery & { readonly layout?: RowScorerLayout },
  ) {
    this.#workspace = workspace;
    this.#rows = rows;
    this.#dimension = query.values.length;
    this.#layout = query.layout ?? ownLayout(workspace, this.#dimension);
    const { source, rows: rowsAt, scores } = this.#layout;
    const buffer = workspace.arena.bufferOf(scores + BATCH_ROWS_MAX * 8);
    new Float32Array(buffer, source, this.#dimension).set(query.values);
    workspace.kernel.prepareQuery(source, this.#layout.query, { dim: this.#dimension, metric: query.metric });
    this.#rowsView = new Uint8Array(buffer, rowsAt, BATCH_ROWS_MAX * this.#dimension * 4);
    this.#scoresView = new Float64Array(buffer, scores, BATCH_ROWS_MAX);
    this.#printsView = new Uint32Array(buffer, scores, BATCH_ROWS_MAX);
  }

  readonly #printsOf = (count: number): Uint32Array => {
    const { rows: address, scores } = this.#layout;
    this.#workspace.kernel.fingerprintRows({ address, count, dim: this.#dimension }, scores);
    return this.#printsView;
  };

  /**
   * @param rows at most BATCH_ROWS_MAX row numbers
   * @returns their scores in the same order, valid until the next call
   */
  score(rows: readonly number[]): Float64Array {
    this.#rows.readRows(rows, this.#rowsView, { printsOf: this.#printsOf });
    const { query, rows: address, scores } = this.#layout;
    this.#workspace.kernel.scoreRows(query, { address, count: rows.length }, scores);
    return this.#scoresView;
  }
}

function ownLayout(workspace: Workspace, dimension: number): RowScorerLayout {
  const layout = new Layout();
  const offsets = planRowScorer(layout, dimension);
  const start = workspace.scratch.area(layout.bytes);
  if (start === null) throw new Error('no memory left for a search');
  return {
    query: start + offsets.query,
    source: start + offsets.source,
    rows: start + offsets.rows,
    scores: start + offsets.scores,
  };
}
