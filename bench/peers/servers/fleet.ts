// Servers that stay up beside each other, so that they can be measured by turns; each is started and loaded when it is first needed.
import type { DataSet } from '../data/data-sets.ts';
import { progress } from '../support/progress.ts';
import { type ServerName, startServer } from './index.ts';
import type { LoadCost, Server } from './server.ts';

export interface Loaded {
  readonly server: Server;
  readonly cost: LoadCost;
}

export class Fleet {
  readonly #data: DataSet;
  readonly #loaded = new Map<string, Loaded>();

  constructor(data: DataSet) {
    this.#data = data;
  }

  async get(name: ServerName): Promise<Loaded> {
    const known = this.#loaded.get(name);
    if (known !== undefined) return known;
    const server = await startServer(name, this.#data);
    try {
      progress(`loading ${this.#data.records.toLocaleString('en-US')} records into ${name}`);
      const loaded = { server, cost: await server.load(this.#data) };
      this.#loaded.set(name, loaded);
      return loaded;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    for (const { server } of this.#loaded.values()) await server.stop();
    this.#loaded.clear();
  }
}
