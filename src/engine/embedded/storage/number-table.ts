// Numbers about the whole index, by name: counters, and the secret of filter columns.
import type { Bytes } from './database.ts';

export class NumberTable {
  readonly database: Bytes;

  constructor(database: Bytes) {
    this.database = database;
  }

  /** 0 for a number that was never stored. */
  get(name: string): number {
    const value = this.database.get(Buffer.from(name));
    return value === undefined ? 0 : value.readDoubleLE(0);
  }

  put(name: string, value: number): void {
    const bytes = Buffer.allocUnsafe(8);
    bytes.writeDoubleLE(value, 0);
    this.database.putSync(Buffer.from(name), bytes);
  }

  remove(name: string): void {
    this.database.removeSync(Buffer.from(name));
  }

  has(name: string): boolean {
    return this.database.get(Buffer.from(name)) !== undefined;
  }
}
