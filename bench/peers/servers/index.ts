// The servers that are compared over the network; what cannot run here is left out, with the reason.
import type { DataSet } from '../data/data-sets.ts';
import { isInstalled } from '../support/load-peer.ts';
import { startChroma } from './chroma.ts';
import { startPgvector } from './pgvector.ts';
import { startPinyon } from './pinyon.ts';
import type { Server } from './server.ts';

export interface StartedServers {
  readonly servers: readonly Server[];
  readonly missing: readonly string[];
  stop(): Promise<void>;
}

export type ServerName = 'Pinyon' | 'Chroma' | 'pgvector';

const STARTS: Readonly<Record<ServerName, (data: DataSet) => Promise<Server>>> = {
  Pinyon: ({ dimension, metric }) => startPinyon('search', { isNew: true, dimension, metric }),
  Chroma: ({ dimension }) => startChroma(dimension),
  pgvector: ({ dimension }) => {
    if (!isInstalled('postgres')) throw new Error('its client package is not installed');
    return startPgvector(dimension);
  },
};

export async function startServers(names: readonly ServerName[], data: DataSet): Promise<StartedServers> {
  const servers: Server[] = [];
  const missing: string[] = [];
  for (const name of names) {
    try {
      servers.push(await STARTS[name](data));
    } catch (error) {
      if (name === 'Pinyon') throw error;
      missing.push(`${name}: ${error instanceof Error ? error.message : error}`);
    }
  }
  const stop = async () => {
    for (const server of servers) await server.stop();
  };
  return { servers, missing, stop };
}
