// Fakes of what the server depends on: a catalog in memory, an engine with a given reply, invented endpoints.

import type { DataAnswer, DataExecutor, DataRequest } from '../../api/data-request.ts';
import type { ControlCall, ControlEndpoint, DataRoute, EndpointDetails, Reply } from '../../api/endpoint.ts';
import { NEW_INDEX } from '../../app/indexes/testing/control-plane.ts';
import type { Catalog } from '../../catalog/port.ts';
import { openCatalog } from '../../catalog/sqlite/open-catalog.ts';
import type { FaultName } from '../../domain/faults.ts';
import type { IndexDirectory } from '../../domain/index-lifecycle.ts';
import { type Index, profileOf } from '../../domain/index-model.ts';
import { CAPABILITIES } from '../../engine/embedded/storage/capabilities.ts';
import type { EngineMetrics, VectorStore } from '../../engine/port/vector-store.ts';
import { untouched } from '../../platform/testing/untouched.ts';

export const CREATED_AT = '2026-01-01T00:00:00.000Z';

/** A private catalog in memory that is gone when closed. */
export function memoryCatalog(): Promise<Catalog> {
  return openCatalog({ path: ':memory:' });
}

/** A dense index with the given fields. */
export function fakeIndex(fields: Partial<Index> & Pick<Index, 'id' | 'projectId'>): Index {
  return {
    ...NEW_INDEX,
    name: fields.id,
    state: 'Ready',
    port: null,
    createdAt: CREATED_AT,
    ...fields,
  };
}

/** Indexes by port and by host name; tests add to the maps. */
export class FakeDirectory implements IndexDirectory {
  readonly ports = new Map<number, Index>();
  readonly hosts = new Map<string, Index>();

  byPort(port: number): Index | undefined {
    return this.ports.get(port);
  }

  byHost(hostname: string): Index | undefined {
    return this.hosts.get(hostname);
  }

  byName(projectId: string, name: string): Index | undefined {
    const all = [...this.ports.values(), ...this.hosts.values()];
    return all.find((index) => index.projectId === projectId && index.name === name);
  }

  profile(indexId: string) {
    const index = [...this.ports.values(), ...this.hosts.values()].find(({ id }) => id === indexId);
    return index === undefined ? undefined : profileOf(index);
  }
}

/** An executor that records its calls and returns `answer`. */
export class FakeExecutor implements DataExecutor {
  readonly calls: DataRequest[] = [];
  answer: (call: DataRequest) => Promise<DataAnswer> = async () => ({
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: '{"fine":true}',
  });

  async run(call: DataRequest): Promise<DataAnswer> {
    this.calls.push(call);
    return this.answer(call);
  }
}

/** An engine that holds nothing. */
export class FakeEngine implements VectorStore {
  readonly logs = null;
  readonly capabilities = CAPABILITIES;

  async createIndex(): Promise<void> {}
  async dropIndex(): Promise<void> {}
  async sizeOf(): Promise<{ records: number; bytes: number }> {
    return { records: 0, bytes: 0 };
  }
  async metrics(): Promise<EngineMetrics> {
    return { indexes: [], threads: [] };
  }
  async reshape(): Promise<void> {}
  async earlierWrites(): Promise<void> {}
  async close(): Promise<void> {}

  check = untouched;
  reader = untouched;
  writer = untouched;
  copies = untouched;
  staging = untouched;
  changed = untouched;
  history = untouched;
  branches = untouched;
}

const DEFAULTS = {
  tag: 'Things',
  summary: 'A thing',
  since: '2024-04',
  permission: 'control_plane::indexes::list',
  errors: 'standard',
  success: { status: 200, description: 'Done.' },
  faults: [] as readonly FaultName[],
} as const;

/** An endpoint that returns what it was called with, unless given a handler. */
export function controlEndpoint(
  details: Pick<EndpointDetails, 'id' | 'method' | 'path'> & Partial<EndpointDetails>,
  handle: (call: ControlCall) => Promise<Reply> = echoCall,
): ControlEndpoint {
  return { ...DEFAULTS, ...details, handle };
}

export function dataEndpoint(
  details: Pick<DataRoute, 'id' | 'method' | 'path'> & Partial<DataRoute>,
): DataRoute {
  return { ...DEFAULTS, permission: 'data_plane::vectors::read', errors: 'both', queue: 'read', ...details };
}

async function echoCall({ access, version, params, query, body, bodyText }: ControlCall): Promise<Reply> {
  const seen = { projectId: access.projectId, version, params, query, body, bodyText };
  return { status: 200, body: seen };
}
