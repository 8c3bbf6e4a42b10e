// The servers that are compared over the network.
import type { DataSet } from '../data/data-sets.ts';
import { isInstalled } from '../support/load-peer.ts';
import { startChroma } from './chroma.ts';
import { startPgvector } from './pgvector.ts';
import { startPinyon } from './pinyon.ts';
import type { Server } from './server.ts';

/** Ours first. */
export const SERVER_NAMES = ['Pinyon', 'pgvector', 'Chroma'] as const;
export type ServerName = (typeof SERVER_NAMES)[number];

const STARTS: Readonly<Record<ServerName, (data: DataSet) => Promise<Server>>> = {
  Pinyon: ({ dimension, metric }) => startPinyon('search', { isNew: true, dimension, metric }),
  Chroma: ({ dimension }) => startChroma(dimension),
  pgvector: ({ dimension }) => {
    if (!isInstalled('postgres')) throw new Error('its client package is not installed');
    return startPgvector(dimension);
  },
};

/** @throws when there is no such server */
export function serverNamed(name: string): ServerName {
  const found = SERVER_NAMES.find((one) => one === name);
  if (found === undefined) throw new Error(`there is no server ${name}`);
  return found;
}

/** Starts an empty server. @throws when it cannot run here, with the reason */
export function startServer(name: ServerName, data: DataSet): Promise<Server> {
  return STARTS[name](data);
}
