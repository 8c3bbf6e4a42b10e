// Which namespaces in memory are to be loaded anew for the memory profile of their index, and when once more.

/** A load that failed is likely to fail again: a record of the namespace may be damaged. */
const RETRY_MS = 300_000;

/** What of a namespace tells its memory profile. */
interface Shaped {
  readonly segments: readonly { readonly context: { readonly hasNodeCodes: boolean } }[];
}

export class ReshapeAttempts {
  readonly #now: () => number;
  /** By namespace as it is in memory: what replaces it has none. */
  readonly #last = new WeakMap<Shaped, number>();

  /** @param now in milliseconds */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Those with segments of another profile, for which it was not tried of late; they count as tried from now on. */
  takeDue<Namespace extends Shaped>(namespaces: Iterable<Namespace>, hasNodeCodes: boolean): Namespace[] {
    const due = [...namespaces].filter(
      (each) =>
        each.segments.some(({ context }) => context.hasNodeCodes !== hasNodeCodes) &&
        this.#now() - (this.#last.get(each) ?? Number.NEGATIVE_INFINITY) >= RETRY_MS,
    );
    for (const each of due) this.#last.set(each, this.#now());
    return due;
  }
}
