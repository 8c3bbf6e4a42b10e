// The bound values of a statement that is put together from parts.

const WRITTEN_ROWS_MAX = 100;

export class Parameters {
  readonly values: unknown[];

  constructor(values: readonly unknown[] = []) {
    this.values = [...values];
  }

  /** Binds a value and returns its place, as `$1`. */
  bind(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /**
   * A number of rows as SQL. Small ones, which come again, are written out: a plan for any number looks worse to the
   * server than one for the given number, so that it would plan each execution of a prepared statement anew.
   */
  limit(rows: number): string {
    return Number.isSafeInteger(rows) && rows >= 0 && rows <= WRITTEN_ROWS_MAX
      ? String(rows)
      : this.bind(rows);
  }

  /** For another statement with the same parts. */
  copy(): Parameters {
    return new Parameters(this.values);
  }
}
