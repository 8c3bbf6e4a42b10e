// The servers that are compared over the network.
import type { DataSet } from '../data/data-sets.ts';
import { isInstalled } from '../support/load-peer.ts';
import { startChroma } from './chroma.ts';
import { startPgvector } from './pgvector.ts';
import { startPinyon } from './pinyon.ts';
import type { Server } from './server.ts';

export type ServerName = 'Pinyon' | 'Chroma' | 'pgvector';

const STARTS: Readonly<Record<ServerName, (data: DataSet) => Promise<Server>>> = {
  Pinyon: ({ dimension, metric }) => startPinyon('search', { isNew: true, dimension, metric }),
  Chroma: ({ dimension }) => startChroma(dimension),
  pgvector: ({ dimension }) => {
    if (!isInstalled('postgres')) throw new Error('its client package is not installed');
    return startPgvector(dimension);
  },
};

/** Starts an empty server. @throws when it cannot run here, with the reason */
export function startServer(name: ServerName, data: DataSet): Promise<Server> {
  return STARTS[name](data);
}
