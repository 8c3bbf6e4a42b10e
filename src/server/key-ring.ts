// The API keys in memory: who a presented key belongs to, without the key itself ever being kept.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { ApiKey, Catalog, Project } from '../catalog/port.ts';
import { mintProjectAccess, type ProjectAccess } from '../domain/access.ts';

interface Holder {
  readonly sha256: Buffer;
  readonly access: ProjectAccess;
}

/** SHA-256 of a key as hex: the only form in which keys are stored and looked up. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

export class KeyRing {
  #holders: ReadonlyMap<string, Holder> = new Map();

  /** Replaces everything known; keys of unknown projects are left out. */
  replace(keys: readonly ApiKey[], projects: readonly Project[]): void {
    const organizationOf = new Map(projects.map(({ id, organizationId }) => [id, organizationId]));
    const holders = new Map<string, Holder>();
    for (const { id, projectId, sha256 } of keys) {
      const organizationId = organizationOf.get(projectId);
      if (organizationId === undefined) continue;
      const access = mintProjectAccess({ organizationId, projectId, principalId: id });
      holders.set(sha256, { sha256: Buffer.from(sha256, 'hex'), access });
    }
    this.#holders = holders;
  }

  /** Reads the keys of the catalog anew. To be called after every change to them. */
  async refresh(catalog: Pick<Catalog, 'listApiKeys' | 'listProjects'>): Promise<void> {
    this.replace(await catalog.listApiKeys(), await catalog.listProjects());
  }

  /** The access a presented key gives, or undefined when it is missing or unknown. */
  authenticate(presented: string | undefined): ProjectAccess | undefined {
    if (presented === undefined || presented === '') return undefined;
    const hash = hashKey(presented);
    const holder = this.#holders.get(hash);
    // The map finds by hash, of which a caller controls no chosen prefix; the final word is constant in time.
    return holder !== undefined && timingSafeEqual(holder.sha256, Buffer.from(hash, 'hex'))
      ? holder.access
      : undefined;
  }
}
