// The catalog port: organizations, projects, keys and indexes. Small rows, read often, changed seldom.
import type { Index, IndexState } from '../domain/index-model.ts';

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
}

export interface Project {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly createdAt: string;
}

export interface ApiKey {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  /** SHA-256 of the whole key, hex. The key itself is never kept. */
  readonly sha256: string;
  readonly createdAt: string;
}

/** State of the control plane. Every change is on disk when its promise resolves. */
export interface Catalog {
  /** Facts about this installation that are no row of their own; see the implementation for the names. */
  getSetting(name: string): Promise<string | null>;
  setSetting(name: string, value: string): Promise<void>;

  listOrganizations(): Promise<readonly Organization[]>;
  insertOrganization(organization: Organization): Promise<void>;

  listProjects(): Promise<readonly Project[]>;
  insertProject(project: Project): Promise<void>;

  listApiKeys(): Promise<readonly ApiKey[]>;
  insertApiKey(key: ApiKey): Promise<void>;
  deleteApiKey(id: string): Promise<void>;

  /** Every index of every project, in name order. */
  listIndexes(): Promise<readonly Index[]>;
  /** @throws name-taken when the project has an index of this name, whatever its state */
  insertIndex(index: Index): Promise<void>;
  /** Replaces the row of `index.id`. */
  updateIndex(index: Index): Promise<void>;
  setIndexState(id: string, state: IndexState): Promise<void>;
  deleteIndex(id: string): Promise<void>;
  /** Ports ever given to an index; they are not given out again while the range has fresh ones. */
  listUsedPorts(): Promise<readonly number[]>;
  recordUsedPort(port: number, indexId: string): Promise<void>;

  close(): Promise<void>;
}
