// A 32-bit number for each row of a row file, allocated together for adjacent rows.

const CHUNK_ROWS = 16_384;

export class RowNumbers {
  readonly #chunks: (Uint32Array | undefined)[] = [];

  /** 0 for a row that has none. */
  get(row: number): number {
    return this.#chunks[Math.floor(row / CHUNK_ROWS)]?.[row % CHUNK_ROWS] ?? 0;
  }

  set(row: number, value: number): void {
    const number = Math.floor(row / CHUNK_ROWS);
    while (this.#chunks.length <= number) this.#chunks.push(undefined);
    const chunk = this.#chunks[number] ?? new Uint32Array(CHUNK_ROWS);
    this.#chunks[number] = chunk;
    chunk[row % CHUNK_ROWS] = value;
  }
}
