// A stream of items between two threads with back-pressure: the sender may be a few items ahead, then waits until the
// receiver has consumed one.

/** Default number of items of a stream in flight, waiting or in use. */
export const ITEMS_AHEAD = 4;

/** The sender's end. */
export class Outbox<Item> {
  readonly #post: (item: Item, transfer: readonly ArrayBuffer[]) => void;
  #credits: number;
  #waiting: PromiseWithResolvers<void> | null = null;
  #failure: { readonly error: unknown } | null = null;

  constructor(post: (item: Item, transfer: readonly ArrayBuffer[]) => void, itemsAhead = ITEMS_AHEAD) {
    this.#post = post;
    this.#credits = itemsAhead;
  }

  /** Resolves when the item has been sent. @throws the error passed to `fail` */
  async send(item: Item, transfer: readonly ArrayBuffer[] = []): Promise<void> {
    while (this.#credits === 0 && this.#failure === null) {
      this.#waiting = Promise.withResolvers<void>();
      await this.#waiting.promise;
    }
    if (this.#failure !== null) throw this.#failure.error;
    this.#credits--;
    this.#post(item, transfer);
  }

  /** Call when the receiver has consumed an item. */
  more(): void {
    this.#credits++;
    this.#waiting?.resolve();
  }

  /** Makes all further calls of `send` throw. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#waiting?.resolve();
  }
}

/** The receiver's end. */
export class Inbox<Item> {
  readonly #onUsed: (item: Item) => void;
  readonly #items: Item[] = [];
  #waiting: PromiseWithResolvers<void> | null = null;
  #outcome: { readonly error: unknown } | 'ended' | null = null;

  /** @param onUsed called with each item when the next one is requested */
  constructor(onUsed: (item: Item) => void) {
    this.#onUsed = onUsed;
  }

  push(item: Item): void {
    this.#items.push(item);
    this.#waiting?.resolve();
  }

  /** Ends the stream after the items pushed so far. */
  end(): void {
    this.#outcome ??= 'ended';
    this.#waiting?.resolve();
  }

  /** Fails the stream and drops unread items. No effect on an ended stream. */
  fail(error: unknown): void {
    if (this.#outcome !== null) return;
    this.#outcome = { error };
    this.#items.length = 0;
    this.#waiting?.resolve();
  }

  /**
   * Yields the items, once. An item counts as used when the next one is requested. @throws the error passed to
   * `fail`
   */
  async *items(): AsyncGenerator<Item> {
    for (;;) {
      const item = this.#items.shift();
      if (item !== undefined) {
        yield item;
        this.#onUsed(item);
      } else if (this.#outcome === 'ended') return;
      else if (this.#outcome !== null) throw this.#outcome.error;
      else {
        this.#waiting = Promise.withResolvers<void>();
        await this.#waiting.promise;
      }
    }
  }
}
