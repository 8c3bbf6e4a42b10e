// Exact scores of rows of the row file: reads them into a workspace, neighbors together, and lets the kernel score
// them.
import type { Metric } from '../../../domain/index-model.ts';
import type { CodeSpace } from '../ann/code-space.ts';
import { queryBytes } from '../kernels/layout.ts';
import type { NamespaceRows } from '../storage/checked-rows.ts';
import { Layout, type Workspace } from './workspace.ts';

/** Maximum rows scored by one kernel call. */
export const BATCH_ROWS_MAX = 64;

export interface DenseQuery {
  readonly values: Float32Array;
  readonly metric: Metric;
  /** Of the codes to be searched; default none are. */
  readonly space?: CodeSpace;
}

/** Addresses of a scorer's blocks, in memory that the owner of the workspace provides. */
export interface RowScorerLayout {
  /** The query as codes are compared with it. */
  readonly query: number;
  /** The same as rows are scored with it, where codes have an origin. */
  readonly exact: number;
  readonly source: number;
  readonly rows: number;
  readonly scores: number;
}

/** Adds a scorer's blocks to a layout. @returns their offsets */
export function planRowScorer(layout: Layout, dimension: number): RowScorerLayout {
  return {
    query: layout.add(queryBytes(dimension)),
    exact: layout.add(queryBytes(dimension)),
    source: layout.add(dimension * 4),
    rows: layout.add(BATCH_ROWS_MAX * dimension * 4),
    scores: layout.add(BATCH_ROWS_MAX * 8),
  };
}

export class RowScorer {
  readonly #workspace: Workspace;
  readonly #rows: NamespaceRows;
  readonly #layout: RowScorerLayout;
  readonly #views: Views;
  /** The block that rows are scored with. */
  readonly #exact: number;

  /** Prepares the query's blocks. Without `layout`, the scorer occupies the whole scratch of the workspace. */
  constructor(
    workspace: Workspace,
    rows: NamespaceRows,
    query: DenseQuery & { readonly layout?: RowScorerLayout },
  ) {
    const dimension = query.values.length;
    this.#workspace = workspace;
    this.#rows = rows;
    this.#layout = query.layout ?? ownLayout(workspace, dimension);
    this.#views = viewsOf(workspace, this.#layout, dimension);
    const { source, query: block, exact } = this.#layout;
    const { values, metric, space } = query;
    const isMoved = space !== undefined && space.origin !== null;
    this.#exact = isMoved ? exact : block;
    const prepare = (vector: Float32Array, by: Metric, into: number) => {
      this.#views.source.set(vector);
      workspace.kernel.prepareQuery(source, into, { dim: dimension, metric: by });
    };
    prepare(values, metric, this.#exact);
    if (isMoved) prepare(space.place(values), space.metric, block);
  }

  readonly #printsOf = (count: number): Uint32Array => {
    const { rows: address, scores } = this.#layout;
    const { prints, source } = this.#views;
    this.#workspace.kernel.fingerprintRows({ address, count, dim: source.length }, scores);
    return prints;
  };

  /**
   * @param rows at most BATCH_ROWS_MAX row numbers
   * @returns their scores in the same order, valid until the next call
   */
  score(rows: readonly number[]): Float64Array {
    this.#rows.readRows(rows, this.#views.rows, { printsOf: this.#printsOf });
    const { rows: address, scores } = this.#layout;
    this.#workspace.kernel.scoreRows(this.#exact, { address, count: rows.length }, scores);
    return this.#views.scores;
  }
}

/** A scorer's blocks as arrays. */
interface Views {
  readonly source: Float32Array;
  readonly rows: Uint8Array;
  readonly scores: Float64Array;
  /** Where the scores will be. */
  readonly prints: Uint32Array;
}

/** Nearly always the next scorer of a workspace has its blocks where the last one had them. */
const lastViews = new WeakMap<Workspace, Views>();

function viewsOf(workspace: Workspace, { source, rows, scores }: RowScorerLayout, dimension: number): Views {
  const buffer = workspace.arena.bufferOf(scores + BATCH_ROWS_MAX * 8);
  const known = lastViews.get(workspace);
  const isStill =
    known !== undefined &&
    known.source.length === dimension &&
    known.source.byteOffset === source &&
    known.rows.byteOffset === rows &&
    known.scores.byteOffset === scores &&
    known.rows.buffer === buffer;
  if (isStill) return known;
  const views = {
    source: new Float32Array(buffer, source, dimension),
    rows: new Uint8Array(buffer, rows, BATCH_ROWS_MAX * dimension * 4),
    scores: new Float64Array(buffer, scores, BATCH_ROWS_MAX),
    prints: new Uint32Array(buffer, scores, BATCH_ROWS_MAX),
  };
  lastViews.set(workspace, views);
  return views;
}

function ownLayout(workspace: Workspace, dimension: number): RowScorerLayout {
  const layout = new Layout();
  const offsets = planRowScorer(layout, dimension);
  const start = workspace.scratch.area(layout.bytes);
  if (start === null) throw new Error('no memory left for a search');
  return {
    query: start + offsets.query,
    exact: start + offsets.exact,
    source: start + offsets.source,
    rows: start + offsets.rows,
    scores: start + offsets.scores,
  };
}
