// Which statements are worth preparing, and under which names: those that come again, so many on each connection.

/** Texts that are remembered, the one unused for longest forgotten first. */
const TEXTS_MAX = 1_000;
/** Statements of one connection, each of which has a plan in the memory of the server. */
const CONNECTION_STATEMENTS_MAX = 200;

export class PreparedStatements {
  /** By text, the one unused for longest first. */
  readonly #texts = new Map<string, string>();
  readonly #prepared = new WeakMap<object, Set<string>>();
  #named = 0;

  /** The name to prepare a statement under; undefined when it is met for the first time. */
  nameOf(text: string): string | undefined {
    const name = this.#texts.get(text);
    if (name === undefined) {
      // Never the name of another text: connections may still have that one.
      this.#named += 1;
      this.#texts.set(text, `p${this.#named}`);
      const [oldest] = this.#texts.keys();
      if (this.#texts.size > TEXTS_MAX && oldest !== undefined) this.#texts.delete(oldest);
      return undefined;
    }
    this.#texts.delete(text);
    this.#texts.set(text, name);
    return name;
  }

  /** Notes that a connection has a statement; false when it has so many that another one should take its place. */
  note(connection: object, name: string): boolean {
    const prepared = this.#prepared.get(connection) ?? new Set();
    this.#prepared.set(connection, prepared.add(name));
    return prepared.size < CONNECTION_STATEMENTS_MAX;
  }
}
