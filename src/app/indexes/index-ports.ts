// The open ports of indexes. The port of a deleted index stays open for a time, so that clients that still have its
// address get a 404 there: they would retry a refused connection for ever.
import type { PortDirectory } from '../../domain/index-lifecycle.ts';

/** How long the port of a deleted index answers. */
export const RETIRED_PORT_HOURS = 24;
const RETIRED_PORT_MS = RETIRED_PORT_HOURS * 60 * 60 * 1_000;

export class IndexPorts {
  readonly #directory: PortDirectory;
  /** The open ports, each with the timer that closes it; null while an index has it. */
  readonly #open = new Map<number, NodeJS.Timeout | null>();

  constructor(directory: PortDirectory) {
    this.#directory = directory;
  }

  /** Opens a port for an index, or gives it the port of a deleted one. @throws as PortDirectory.listen */
  async listen(port: number): Promise<void> {
    const timer = this.#open.get(port) ?? null;
    if (timer !== null) clearTimeout(timer);
    else await this.#directory.listen(port);
    this.#open.set(port, null);
  }

  /** Keeps the port open for a while after its index was deleted. Does nothing if the port is not open. */
  retire(port: number, retiredAt: number): void {
    if (this.#open.get(port) !== null) return;
    const timer = setTimeout(() => void this.close(port), retiredAt + RETIRED_PORT_MS - Date.now());
    timer.unref();
    this.#open.set(port, timer);
  }

  /** Opens the port of an index that an earlier process deleted, unless its time is over. @throws as `listen` */
  async reopen(port: number, retiredAt: number): Promise<void> {
    if (this.#open.has(port) || Date.now() >= retiredAt + RETIRED_PORT_MS) return;
    await this.listen(port);
    this.retire(port, retiredAt);
  }

  async close(port: number): Promise<void> {
    clearTimeout(this.#open.get(port) ?? undefined);
    this.#open.delete(port);
    await this.#directory.close(port);
  }
}
