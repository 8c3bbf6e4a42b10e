// A bounded cache of computed values: two generations, the older of which is dropped when the newer is full.

/** Holds up to 2 x `generationMax` values; recently used ones stay. */
export class RecentMap<Value> {
  readonly #generationMax: number;
  #newer = new Map<string, Value>();
  #older = new Map<string, Value>();

  constructor(generationMax: number) {
    this.#generationMax = generationMax;
  }

  get(key: string): Value | undefined {
    const value = this.#newer.get(key);
    if (value !== undefined) return value;
    const old = this.#older.get(key);
    return old === undefined ? undefined : this.set(key, old);
  }

  set(key: string, value: Value): Value {
    if (this.#newer.size >= this.#generationMax) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(key, value);
    return value;
  }
}
