// An application with the routes of metrics, over two indexes of two projects.
import Fastify from 'fastify';
import { faultBody } from '../../../api/fault-body.ts';
import { newArchive } from '../../../app/backups/backup-service.ts';
import { JobMeter } from '../../../app/monitoring/job-meter.ts';
import { LatencyHistogram } from '../../../app/monitoring/latency-histogram.ts';
import type { OperatorReading } from '../../../app/monitoring/operator-families.ts';
import { RequestMeter } from '../../../app/monitoring/request-meter.ts';
import { mintProjectAccess, type ProjectAccess } from '../../../domain/access.ts';
import { permissionsOf } from '../../../domain/administration/roles.ts';
import { Fault, fault } from '../../../domain/faults.ts';
import { type Index, profileOf } from '../../../domain/index-model.ts';
import { UNMEASURED } from '../../../engine/port/engine-metrics.ts';
import type { EngineMetrics, IndexMetrics, VectorStore } from '../../../engine/port/vector-store.ts';
import { addMetricsRoutes, type KeyHolder } from '../metrics-routes.ts';

const SERVERLESS: Index['deployment'] = {
  kind: 'serverless',
  cloud: 'aws',
  region: 'us-east-1',
  readCapacity: { mode: 'OnDemand' },
  metadataSchema: null,
  sourceCollection: null,
};
const FILMS = index({ id: 'i1', name: 'films', projectId: 'p1' });
export const INDEXES = [FILMS, index({ id: 'i2', name: 'secret', projectId: 'p2' })];
const KEYS: Readonly<Record<string, KeyHolder>> = {
  editor: holder('p1', 'ProjectEditor'),
  reader: holder('p1', 'DataPlaneViewer'),
  stranger: holder('p2', 'ProjectEditor'),
};
export const FULL: IndexMetrics = {
  indexId: 'i1',
  records: 70,
  bytesOnDisk: 9_000,
  memory: { codes: 11, graph: 12, columns: 13, sparse: 14, texts: 0, other: 15, codesInFile: 16 },
  structure: {
    namespacesLoaded: 2,
    slots: 100,
    graphSlots: 80,
    unindexedSlots: 20,
    building: { done: 5, total: 20 },
  },
  namespacesOversized: 4,
  scrub: { bytes: 500, finishedAt: 1_790_000_000 },
  damage: { isClosed: true, records: 3 },
  history: { bytes: 700, from: 1_790_000_000 },
  branches: { count: 2, ownRecords: 30, ownBytes: 400, sharedRecords: 50, sharedBytes: 600 },
};
export const THREADS: EngineMetrics['threads'] = [
  { kind: 'reader', number: 1, queued: 3, oldestMs: 1500, restarts: 2 },
];
export const PLACE = 'cloud="aws",region="us-east-1",capacity_mode="serverless"';

const FILES = [{ projectId: 'p1', assistantName: 'helper', state: 'Processing', files: 3 }] as const;
const JOBS = [{ projectId: 'p1', kind: 'restore', state: 'Failed', jobs: 2 }] as const;

const SHOWS = index({ id: 'i3', name: 'shows', projectId: 'p1' });
const DAMAGED = [
  {
    archive: { ...newArchive(SHOWS, { face: 'backup', name: null, description: null }), id: 'b' },
    problem: 'a part is missing',
  },
];

export const MACHINE: OperatorReading = {
  release: '1.2.3',
  nodeRelease: '26.1.0',
  disk: { sizeBytes: 1_000, freeBytes: 400 },
  eventLoopDelaySeconds: new Map([['0.99', 0.004]]),
  filesOpen: 12,
  filesOpenMax: null,
  archiveScrub: { bytes: 600, finishedAt: 1_790_000_001 },
  recovery: { lagSeconds: 3, intervalSeconds: 5, bytes: 900, objects: 2, failures: 1, incomplete: 0 },
  newestBackups: [{ indexId: 'i1', createdAt: '1970-01-01T00:01:40.000Z' }],
  node: {
    leaseAgeSeconds: 0.4,
    forwarded: [{ address: 'http://b:5080', count: 7 }],
    forwardFailures: [{ address: 'http://b:5080', count: 2 }],
    moves: [{ outcome: 'completed', count: 3 }],
    nodes: [
      {
        id: 'b',
        address: 'http://b:5080',
        release: '1',
        seenAt: '',
        isAlive: false,
        isDraining: true,
        placed: 5,
        memoryFreeBytes: 10,
        diskFreeBytes: 20,
      },
    ],
  },
  models: [{ model: 'm', task: 'embed', latency: new LatencyHistogram(), failures: 2 }],
};

type Engine = Pick<VectorStore, 'metrics'>;

/** Reports no memory and no threads. */
export const smallEngine: Engine = {
  metrics: async (profiles) => ({
    indexes: profiles.map(({ id }) => ({
      indexId: id,
      records: 7,
      bytesOnDisk: 900,
      ...UNMEASURED,
    })),
    threads: [],
  }),
};

function index(details: Pick<Index, 'id' | 'name' | 'projectId'>): Index {
  return {
    vectorType: 'dense',
    metric: 'cosine',
    dimension: 3,
    deployment: SERVERLESS,
    state: 'Ready',
    deletionProtection: 'disabled',
    embed: null,
    documents: null,
    tags: {},
    port: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    ...details,
  };
}

function holder(projectId: string, role: 'ProjectEditor' | 'DataPlaneViewer'): KeyHolder {
  const access = mintProjectAccess({ organizationId: 'o', projectId, principalId: 'k' });
  return { access, permissions: permissionsOf([role]) };
}

interface Refusals {
  /** Throw as a catalog that does not answer, at once or when it is asked. */
  readonly requireCurrent?: () => void;
  readonly ask?: () => void;
  /** Throws as quotas do. */
  readonly admitRequest?: (access: ProjectAccess) => void;
}

/** An application with the routes, over two indexes of two projects. */
export function makeApp(
  engine: Engine = smallEngine,
  catalog = INDEXES,
  { ask, admitRequest = () => undefined, ...refusals }: Refusals = {},
) {
  const app = Fastify();
  app.setErrorHandler((error, _, reply) => {
    const shown = error instanceof Fault ? error : fault('internal');
    reply.code(shown.status).send(faultBody('standard', shown));
  });
  const meter = new RequestMeter(() => true);
  const jobMeter = new JobMeter(() => ['export', 'restore']);
  addMetricsRoutes(app, {
    keyHolder: (presented = '') => KEYS[presented],
    admitRequest,
    ...refusals,
    operator: {
      isKey: (presented) => presented === 'operator',
      read: async ({ isCatalogAway = false } = {}) =>
        isCatalogAway ? { ...MACHINE, archiveScrub: null, newestBackups: [] } : MACHINE,
    },
    sources: {
      nodeId: 'here',
      meter,
      engine,
      allIndexes: async () => {
        ask?.();
        return catalog;
      },
      indexes: { list: async ({ projectId }) => catalog.filter((each) => each.projectId === projectId) },
      directory: {
        profile: (id) => catalog.filter((each) => each.id === id).map(profileOf)[0],
      },
      files: { counts: async (projectId) => (projectId === 'p2' ? [] : FILES) },
      jobs: { counts: async (projectId) => (projectId === 'p2' ? [] : JOBS) },
      jobFailures: (projectId) => jobMeter.failures(projectId),
      damagedArchives: async (projectId) => (projectId === 'p2' ? [] : DAMAGED),
    },
  });
  const get = (url: string, key: string, headers: Readonly<Record<string, string>> = {}) =>
    app.inject({ url, headers: { authorization: `Bearer ${key}`, ...headers } });
  return { app, meter, jobMeter, get };
}
