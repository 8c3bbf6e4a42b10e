// A sparse matrix by rows, and the two products the decomposition needs.

export interface SparseMatrix {
  readonly size: number;
  /** Where each row begins; one more than rows. */
  readonly starts: Uint32Array;
  readonly columns: Uint32Array;
  readonly values: Float32Array;
}

/** Rows one after the other, `width` numbers each. */
export interface DenseMatrix {
  readonly rows: number;
  readonly width: number;
  readonly data: Float64Array;
}

/** Collects rows of a sparse matrix whose number of entries is not known before. */
export class SparseMatrixBuilder {
  readonly #starts: number[] = [0];
  readonly #columns: Uint32Array[] = [];
  readonly #values: Float32Array[] = [];
  #count = 0;

  addRow(columns: Uint32Array, values: Float32Array): void {
    this.#columns.push(columns);
    this.#values.push(values);
    this.#count += columns.length;
    this.#starts.push(this.#count);
  }

  build(): SparseMatrix {
    const columns = new Uint32Array(this.#count);
    const values = new Float32Array(this.#count);
    for (const [row, start] of this.#starts.slice(0, -1).entries()) {
      columns.set(this.#columns[row] ?? [], start);
      values.set(this.#values[row] ?? [], start);
    }
    return { size: this.#columns.length, starts: Uint32Array.from(this.#starts), columns, values };
  }
}

/** sparse x dense */
export function multiply(sparse: SparseMatrix, dense: DenseMatrix): DenseMatrix {
  const { width } = dense;
  const data = new Float64Array(sparse.size * width);
  for (let row = 0; row < sparse.size; row++) {
    const until = sparse.starts[row + 1] ?? 0;
    for (let at = sparse.starts[row] ?? 0; at < until; at++) {
      const from = (sparse.columns[at] ?? 0) * width;
      addScaled(data, { into: row * width, from, source: dense.data, width, scale: sparse.values[at] ?? 0 });
    }
  }
  return { rows: sparse.size, width, data };
}

/** transposed(a) x b: a.width x b.width numbers */
export function innerProducts(a: DenseMatrix, b: DenseMatrix): DenseMatrix {
  const data = new Float64Array(a.width * b.width);
  for (let row = 0; row < a.rows; row++)
    for (let i = 0; i < a.width; i++) {
      const scale = a.data[row * a.width + i] ?? 0;
      addScaled(data, { into: i * b.width, from: row * b.width, source: b.data, width: b.width, scale });
    }
  return { rows: a.width, width: b.width, data };
}

/** a x b for a dense b of few rows */
export function product(a: DenseMatrix, b: DenseMatrix): DenseMatrix {
  const data = new Float64Array(a.rows * b.width);
  for (let row = 0; row < a.rows; row++)
    for (let i = 0; i < a.width; i++) {
      const scale = a.data[row * a.width + i] ?? 0;
      addScaled(data, { into: row * b.width, from: i * b.width, source: b.data, width: b.width, scale });
    }
  return { rows: a.rows, width: b.width, data };
}

interface Addition {
  readonly into: number;
  readonly from: number;
  readonly source: Float64Array;
  readonly width: number;
  readonly scale: number;
}

function addScaled(target: Float64Array, { into, from, source, width, scale }: Addition): void {
  for (let i = 0; i < width; i++)
    target[into + i] = (target[into + i] ?? 0) + scale * (source[from + i] ?? 0);
}
