// Every index in memory, found by id, name, port and host name without waiting for the catalog.
import { type Index, type IndexProfile, profileOf } from '../../domain/index-model.ts';
import { hostnameIn, type IndexHosts } from './index-hosts.ts';

interface Entry {
  readonly index: Index;
  readonly profile: IndexProfile;
}

export class IndexRegistry {
  readonly #hosts: IndexHosts;
  readonly #entries = new Map<string, Entry>();
  readonly #idByName = new Map<string, string>();
  readonly #idByPort = new Map<number, string>();
  readonly #idByHost = new Map<string, string>();

  constructor(hosts: IndexHosts) {
    this.#hosts = hosts;
  }

  /** Adds the index, or replaces the one of its id. */
  put(index: Index): void {
    this.delete(index.id);
    this.#entries.set(index.id, { index, profile: profileOf(index) });
    this.#idByName.set(nameKey(index.projectId, index.name), index.id);
    if (index.port === null) this.#idByHost.set(hostnameIn(this.#hosts(index)), index.id);
    else this.#idByPort.set(index.port, index.id);
  }

  delete(id: string): void {
    const index = this.get(id);
    if (index === undefined) return;
    this.#entries.delete(id);
    // Another node's index may have taken the name of one that was only reserved here.
    deleteOwn(this.#idByName, nameKey(index.projectId, index.name), id);
    if (index.port === null) deleteOwn(this.#idByHost, hostnameIn(this.#hosts(index)), id);
    else deleteOwn(this.#idByPort, index.port, id);
  }

  get(id: string): Index | undefined {
    return this.#entries.get(id)?.index;
  }

  profile(id: string): IndexProfile | undefined {
    return this.#entries.get(id)?.profile;
  }

  byName(projectId: string, name: string): Index | undefined {
    return this.#find(this.#idByName.get(nameKey(projectId, name)));
  }

  byPort(port: number): Index | undefined {
    return this.#find(this.#idByPort.get(port));
  }

  byHost(hostname: string): Index | undefined {
    return this.#find(this.#idByHost.get(hostname.toLowerCase()));
  }

  all(): readonly Index[] {
    return [...this.#entries.values()].map(({ index }) => index);
  }

  #find(id: string | undefined): Index | undefined {
    return id === undefined ? undefined : this.get(id);
  }
}

function deleteOwn<Key>(ids: Map<Key, string>, key: Key, id: string): void {
  if (ids.get(key) === id) ids.delete(key);
}

/** Names hold no slash, so no two pairs share a key. */
function nameKey(projectId: string, name: string): string {
  return `${projectId}/${name}`;
}
