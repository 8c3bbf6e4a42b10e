// Finds the target of a request: the base address, or the index at its port or host name.
import type { IndexDirectory, PortDirectory } from '../domain/index-lifecycle.ts';
import type { Index } from '../domain/index-model.ts';
import type { AnyRequest } from './connections/protocol-handlers.ts';
import { nameOf } from './host-names.ts';
import type { Listeners } from './listeners.ts';

export type Target =
  | { readonly kind: 'base' }
  /** `index` is undefined when nothing is served at the address. */
  | { readonly kind: 'index'; readonly index: Index | undefined };

const BASE: Target = { kind: 'base' };

/** Opens and closes the ports of indexes. The index directory knows which index a port belongs to. */
export function createPortDirectory(listeners: Pick<Listeners, 'open' | 'close'>): PortDirectory {
  return {
    listen: async (port) => {
      await listeners.open(port);
    },
    close: async (port) => listeners.close(port),
  };
}

export interface TargetFinderOptions {
  readonly directory: Pick<IndexDirectory, 'byPort' | 'byHost'>;
  readonly publicDomain: string | null;
  /** Undefined until the base port is open. */
  readonly basePort: () => number | undefined;
}

/** Every port but the base port belongs to an index, even one deleted meanwhile. */
export function targetFinder({
  directory,
  publicDomain,
  basePort,
}: TargetFinderOptions): (request: Pick<AnyRequest, 'headers' | 'socket'>) => Target {
  return ({ headers, socket }) => {
    const port = socket.localPort;
    if (port !== basePort()) {
      return { kind: 'index', index: port === undefined ? undefined : directory.byPort(port) };
    }
    if (publicDomain === null) return BASE;
    const hostname = nameOf(String(headers[':authority'] ?? headers.host ?? ''));
    return hostname.endsWith(`.${publicDomain}`)
      ? { kind: 'index', index: directory.byHost(hostname) }
      : BASE;
  };
}
