// The frames or blocks of a growing structure, in order, and how many of them were announced to readers.

export class PieceList {
  readonly addresses: number[] = [];
  #announced = 0;

  push(address: number): void {
    this.addresses.push(address);
  }

  get last(): number {
    return this.addresses.at(-1) ?? 0;
  }

  /** The addresses added since the last call. */
  takeNew(): readonly number[] {
    const added = this.addresses.slice(this.#announced);
    this.#announced = this.addresses.length;
    return added;
  }
}
