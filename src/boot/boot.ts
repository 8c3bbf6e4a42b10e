// Boot and shutdown: ordered, named steps, each with its reason.
import packageJson from '../../package.json' with { type: 'json' };
import { aliasEndpoints } from '../api/rest/aliases/alias-endpoints.ts';
import { dataEndpoints } from '../api/rest/data-endpoints.ts';
import { bulkEndpoints } from '../api/rest/import-export/bulk-endpoints.ts';
import { judgmentEndpoints } from '../api/rest/judgments/judgment-endpoints.ts';
import { mapEndpoints } from '../api/rest/maps/map-endpoints.ts';
import type { FirstAccess } from '../app/access/bootstrap-access.ts';
import { ProjectPurge } from '../app/access/project-purge.ts';
import { AliasService } from '../app/aliases/alias-service.ts';
import { damagedArchives, newestWholeBackups } from '../app/backups/damaged-archives.ts';
import type { IndexLifecycleOptions, OpenIndexLifecycle } from '../app/indexes/index-lifecycle.ts';
import { JudgmentService } from '../app/judgments/judgment-service.ts';
import { MapStore } from '../app/maps/map-store.ts';
import { McpMeter } from '../app/monitoring/mcp-meter.ts';
import { measuredInference } from '../app/monitoring/measured-models.ts';
import { ModelMeter } from '../app/monitoring/model-meter.ts';
import { RequestMeter } from '../app/monitoring/request-meter.ts';
import { storagesOfCatalog } from '../app/recovery/recovered-storages.ts';
import type { Blobs } from '../blobs/port.ts';
import type { Catalog } from '../catalog/port.ts';
import { type Index, isReady, profileOf } from '../domain/index-model.ts';
import type { Inference } from '../domain/inference/port.ts';
import type { Logger } from '../http/request-log.ts';
import { addMetricsRoutes } from '../http/routes/metrics-routes.ts';
import { createServer, type Serving } from '../http/server.ts';
import { writeAdmission } from '../http/write-quotas.ts';
import type { JobRunner } from '../jobs/job-runner.ts';
import { baseUrl } from './banner.ts';
import { baseServices } from './base-services.ts';
import { boundConnections } from './connection-bound.ts';
import { assertNotOrphaned, prepareDataDir } from './data-dir.ts';
import type { EngineSurroundings, IsAlias, OpenEngine } from './engine/open-engine.ts';
import { acceptedRisks } from './exposure.ts';
import { indexHostsFor } from './index-hosts.ts';
import { memoryProblem } from './memory-fit.ts';
import { openAssistants } from './open-assistants.ts';
import { indexesBeingFilled, openBackground, openJobs } from './open-background.ts';
import { openFiles } from './open-files-shares.ts';
import { type OpenIdentity, openIdentity } from './open-identity.ts';
import { openLive } from './open-live.ts';
import { openNodes } from './open-nodes.ts';
import { clientSecretOf } from './open-provider.ts';
import { openQuotas } from './open-quotas.ts';
import { openRecovery } from './open-recovery.ts';
import { operatorMetrics } from './operator-metrics.ts';
import type { Settings } from './settings.ts';
import { portProblem } from './start-problems.ts';
import { stopInOrder } from './stop-in-order.ts';
import { operatorFigures } from './telemetry/operator-figures.ts';
import { telemetryOf } from './telemetry/telemetry-of.ts';
import { readTlsFiles } from './tls-files.ts';
import { reloadTlsFiles } from './tls-reload.ts';

const SECOND_MS = 1_000;

/** The parts that boot puts together; tests pass their own. */
export interface BootParts {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly endpoints: Serving['endpoints'];
  readonly openCatalog: (settings: Settings) => Promise<Catalog>;
  readonly openInference: (settings: Settings, logger: Logger) => Promise<Inference>;
  readonly openBlobs: (settings: Settings) => Promise<Blobs>;
  readonly openEngine: (
    settings: Settings,
    logger: Logger,
    surroundings?: EngineSurroundings,
  ) => Promise<OpenEngine>;
  readonly openLifecycle: (options: IndexLifecycleOptions) => Promise<OpenIndexLifecycle>;
}

export interface RunningServer {
  readonly port: number;
  readonly firstAccess: FirstAccess;
  /** The link that signs the first owner in to the console, once; null after the first start. */
  readonly signInLink: string | null;
  /** Notices for the operator, one sentence each. */
  readonly notices: readonly string[];
  /** Reads the certificate and its key again, for new connections. Logs the outcome. */
  reload(): void;
  /** Lets running requests finish, then closes everything. */
  stop(): Promise<void>;
}

/** Resolves when every index and the base address accept requests. @throws with the reason when a step fails */
export async function boot(parts: BootParts): Promise<RunningServer> {
  const { settings, logger, endpoints } = parts;
  // Cheap checks come first: a start that cannot succeed touches nothing.
  const risks = acceptedRisks(settings);
  for (const risk of risks) logger.warn(risk);
  const tooLittle = memoryProblem(settings);
  if (tooLittle !== null) logger.warn(tooLittle);
  const tls = readTlsFiles(settings);
  clientSecretOf(settings);
  // So do models, which may be missing or corrupt.
  const modelMeter = new ModelMeter();
  const inference = measuredInference(await parts.openInference(settings, logger), modelMeter);
  await prepareDataDir(settings.dataDir);
  await assertNotOrphaned(settings, () => parts.openBlobs(settings));
  // The catalog holds the lock on the data directory, so it opens before anything else in there.
  const catalog = await parts.openCatalog(settings);
  // Before anything is served: an earlier process of this node may still serve.
  const nodes = await openNodes({ catalog, settings, logger });
  const telemetry = await telemetryOf(settings, logger);
  let basePort = settings.port;
  const address = () => baseUrl(settings, basePort);
  const identity = await openIdentity({ catalog, settings, logger, baseUrl: address });
  const { firstAccess, principals, tokens, denials, cursors, linkSecret } = identity;
  const { sessions, sessionKeeper, sharedSessions, provider } = identity;
  const blobs = await parts.openBlobs(settings);
  const isAlias: IsAlias = (indexId, name) => catalog.namespaceAliases.has(indexId, name);
  const files = openFiles(settings, (await catalog.indexes.list()).length);
  const opened = await parts.openEngine(settings, logger, {
    files,
    ...(catalog.changes !== null && { isAlias }),
  });
  const { engine, executor, descriptions, warmUp, watch } = nodes?.around(opened) ?? opened;
  const live = await openLive(settings, logger);
  const quotas = await openQuotas({ catalog, settings, logger }, engine);
  const server = createServer({
    settings: { ...settings, connectionsMax: boundConnections(settings, logger, files) },
    release: packageJson.version,
    tls,
    logger,
    tail: live.requests,
    following: catalog.changes ?? undefined,
    forwarding: nodes?.forwarding,
    ...(telemetry !== null && { tracing: telemetry.tracing }),
    access: {
      authenticators: { principals, tokens },
      denials,
      wrongCredentials: identity.wrongCredentials,
      admitRequest: (access) => quotas.service.admitRequest(access),
      awaitRequest: (access, signal) => quotas.service.awaitRequest(access, signal),
      admitBody: writeAdmission(quotas.service, { data: dataEndpoints, bulk: bulkEndpoints }),
      homeOrganizationId: firstAccess.organizationId,
    },
  });
  const aliases = await AliasService.load({ catalog, engine, changes: catalog.changes });
  const { jobs, jobMeter } = openJobs(catalog, settings, logger, nodes?.noteEnd);
  const mapStore = new MapStore(blobs);
  const lifecycle = await parts.openLifecycle({
    catalog,
    engine,
    ports: server.ports,
    hosts: indexHostsFor(settings),
    portRange: settings.publicDomain === null ? settings.indexPorts : null,
    portsMax: files?.portsMax,
    changes: catalog.changes,
    foreign: catalog.foreign,
    nodeId: catalog.nodeId,
    regions: settings.regions,
    beingFilled: await indexesBeingFilled(catalog),
    describe: async (index) => {
      const projectName = principals.project(index.projectId)?.name ?? null;
      // What is missing is made at the next start.
      await descriptions
        ?.keep({ index, projectName })
        .catch((error) => logger.warn({ err: error, indexId: index.id }, 'an index could not be described'));
    },
    admitIndex: (projectId, count) => quotas.service.admitIndex(projectId, count),
    endWork: async (indexId) => {
      await jobs.endJobsOf(indexId);
      await background.modelChanges.endWork(indexId);
      aliases.forget(indexId);
      // What is left is removed at the next start.
      await mapStore
        .removeAll(indexId)
        .catch((error) => logger.warn({ err: error, indexId }, 'maps of an index could not be removed'));
    },
    onFailure: (error) => logger.error({ err: error }, 'work on an index failed and will be retried'),
  });
  const indexes = lifecycle;
  nodes?.use(lifecycle.directory, (id) => lifecycle.byId(id));
  const tracing = telemetry?.tracing ?? null;
  const stores = {
    ...{ catalog, blobs, engine, jobs, inference, logger, settings, tracing, modelMeter },
    quotas: quotas.service,
  };
  const projectName = (id: string) => principals.project(id)?.name ?? null;
  const assistants = await openAssistants({ ...stores, cursors, linkSecret, projectName, baseUrl: address });
  const { growth } = quotas.service;
  const recovery = openRecovery({ ...stores, quotas: growth, indexes });
  const background = openBackground({
    ...{ ...stores, quotas: growth, indexes, aliases, mapStore, nodes },
    moreKinds: [...assistants.kinds, ...recovery.kinds],
    noteAssistant: assistants.note,
  });
  const { imports, exports, maps, modelChanges } = background;
  const damaged = (projectId: string | null) => damagedArchives(catalog, projectId);
  const { administration } = catalog;
  const purge = new ProjectPurge({
    administration,
    onFailure: (error) =>
      logger.error({ err: error }, 'removing a deleted project failed and will be retried'),
  });
  const sharedAliases = (indexId: string) => aliases.shared(indexId);
  const meter = new RequestMeter((id) => lifecycle.directory.profile(id) !== undefined);
  const toolMeter = new McpMeter();
  const sources = {
    nodeId: catalog.nodeId,
    indexes: lifecycle,
    allIndexes: () => catalog.indexes.list(),
    directory: lifecycle.directory,
    engine,
    meter,
    wrongCredentials: identity.wrongCredentials,
    signIns: provider,
    files: catalog.assistantFiles,
    jobs: catalog.jobs,
    jobFailures: (projectId: string | null) => jobMeter.failures(projectId),
    tools: toolMeter,
    quotas: quotas.service,
    damagedArchives: damaged,
    removals: (id: string) => background.expired.figures(id),
  };
  const machine = {
    archiveScrub: () => background.archiveScrubber.progress(),
    newestBackups: () => newestWholeBackups(catalog),
    recovery: recovery.figures,
    node: () => nodes?.figures() ?? null,
    release: packageJson.version,
    models: modelMeter,
  };
  const watching = operatorMetrics(settings, { ...machine, isWatched: settings.metricsKey !== null });
  await server.serve({
    endpoints,
    services: baseServices({
      ...{ settings, logger, catalog, engine, inference, jobs, indexes, aliases, meter },
      ...{ identity, quotas, live, assistants, recovery, background, nodes, damaged },
    }),
    sessions,
    bulk: {
      endpoints: [...bulkEndpoints, ...aliasEndpoints, ...mapEndpoints, ...judgmentEndpoints],
      services: {
        ...{ imports, exports, aliases, cursors, maps, sharedAliases },
        judgments: new JudgmentService({ catalog, engine, sharedAliases }),
      },
    },
    nodes: nodes?.serving,
    executor,
    meter: live.meterWith(meter),
    directory: lifecycle.directory,
    aliases,
    admission: modelChanges.admission,
    queries: modelChanges.queries,
    toolMeter,
    isOperatorKey: watching.isKey,
    monitor: (app, requireCurrent) =>
      addMetricsRoutes(app, {
        keyHolder: (presented) => principals.authenticateKey(presented),
        admitRequest: (access) => quotas.service.admitRequest(access),
        operator: watching,
        sources,
        ...(requireCurrent !== undefined && { requireCurrent }),
      }),
  });
  await follow(catalog, { sharedSessions, aliases, jobs });
  await lifecycle.start().catch((error: unknown) => {
    throw portProblem(error, settings.bind, { setting: 'PINYON_INDEX_PORTS', port: null });
  });
  // After the indexes, which jobs work on.
  await background.start();
  purge.start();
  recovery.start();
  assistants.start();
  if (telemetry !== null) {
    // A reading of its own: delays of the event loop are told since the last one.
    const operator = operatorMetrics(settings, { ...machine, isWatched: true });
    telemetry.measure(() => operatorFigures({ sources, operator }));
  }
  await warmUp?.(ownIndexes(catalog, await catalog.indexes.list()).map(profileOf));
  watch?.([...(await storagesOfCatalog(catalog)).values()].map(({ profile }) => profile));
  // The base port opens last: once /health responds, so does every index.
  basePort = await openBasePort(() => server.listen(), settings);
  const reloading = reloadTlsFiles(tls, { settings, server, logger });
  return {
    port: basePort,
    firstAccess,
    signInLink: signInLink(identity, address()),
    notices: [...risks.map((risk) => `WARNING: ${risk}`), ...inference.notices(), ...assistants.notices],
    reload: reloading.reload,
    stop: () => {
      reloading.close();
      // Those who follow requests would hold the stop up.
      live.requests.close();
      quotas.close();
      return stopInOrder({
        drainMs: settings.drainSeconds * SECOND_MS,
        server,
        bounded: [
          ...[background, recovery],
          ...(telemetry === null ? [] : [{ close: () => telemetry.closeMetrics() }]),
        ],
        users: [live, assistants, lifecycle],
        engine,
        rest: [
          ...[inference, purge, denials, sessionKeeper, blobs],
          ...(nodes === null ? [] : [nodes.membership]),
          ...[catalog, ...(telemetry === null ? [] : [telemetry])],
        ],
      });
    },
  };
}

/** The indexes that are ready and whose records this node has. */
function ownIndexes({ nodeId }: Pick<Catalog, 'nodeId'>, indexes: readonly Index[]): readonly Index[] {
  return indexes.filter(({ state, placement }) => isReady(state) && (placement?.nodeId ?? null) === nodeId);
}

interface Followers {
  readonly sharedSessions: OpenIdentity['sharedSessions'];
  readonly aliases: Pick<AliasService, 'refresh'>;
  readonly jobs: Pick<JobRunner, 'wake'>;
}

/** Keeps in memory what others change: indexes, which listen already, before the aliases and the jobs that concern them. */
async function follow(
  { foreign, changes }: Pick<Catalog, 'foreign' | 'changes'>,
  { sharedSessions, aliases, jobs }: Followers,
): Promise<void> {
  // A node that is alone keeps its sessions in another way.
  if (changes !== null) foreign.listen('sessions', () => sharedSessions.refresh());
  foreign.listen('aliases', () => aliases.refresh());
  foreign.listen('jobs', () => Promise.resolve(jobs.wake()));
  await changes?.start();
}

/** The code is in the fragment, which browsers send to no server. */
function signInLink({ firstAccess, principals, codes }: OpenIdentity, base: string): string | null {
  const { owner, organizationId } = firstAccess;
  if (owner.origin !== 'generated') return null;
  const account = principals.serviceAccountByClient(owner.clientId);
  if (account === undefined) return null;
  const code = codes.issue({ principal: { type: 'service_account', id: account.id }, organizationId });
  return `${base}/#/sign-in?code=${code}`;
}

async function openBasePort(listen: () => Promise<number>, { bind, port }: Settings): Promise<number> {
  try {
    return await listen();
  } catch (error) {
    throw portProblem(error, bind, { setting: 'PINYON_PORT', port });
  }
}
