// The bound values of a statement that is put together from parts.

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

  /** For another statement with the same parts. */
  copy(): Parameters {
    return new Parameters(this.values);
  }
}
