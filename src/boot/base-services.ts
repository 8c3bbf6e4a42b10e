// What the endpoints of the base address call, put together from the parts that boot has opened.
import packageJson from '../../package.json' with { type: 'json' };
import { BranchService } from '../app/branches/branch-service.ts';
import { TimeToLiveService } from '../app/expiry/time-to-live-service.ts';
import { ChangeFeed } from '../app/history/change-feed.ts';
import { HistoryService } from '../app/history/history-service.ts';
import type { OpenIndexLifecycle } from '../app/indexes/index-lifecycle.ts';
import { MemoryProfileService } from '../app/indexes/memory-profile-service.ts';
import { RecallPromiseService } from '../app/indexes/recall-promise-service.ts';
import { OverviewService } from '../app/monitoring/overview-service.ts';
import type { RequestMeter } from '../app/monitoring/request-meter.ts';
import { NodeService } from '../app/nodes/node-service.ts';
import type { Catalog } from '../catalog/port.ts';
import { textsOfTokens } from '../documents/text/texts-of-tokens.ts';
import type { AliasDirectory } from '../domain/aliases/services.ts';
import type { Inference } from '../domain/inference/port.ts';
import type { VectorStore } from '../engine/port/vector-store.ts';
import { logControl } from '../http/log-control.ts';
import type { Logger } from '../http/request-log.ts';
import type { Serving } from '../http/server.ts';
import type { JobRunner } from '../jobs/job-runner.ts';
import { toolGuide } from '../mcp/tool-guide.ts';
import type { OpenAssistants } from './open-assistants.ts';
import type { Background } from './open-background.ts';
import type { OpenIdentity } from './open-identity.ts';
import type { OpenLive } from './open-live.ts';
import type { OpenNodes } from './open-nodes.ts';
import type { OpenQuotas } from './open-quotas.ts';
import type { Recovery } from './open-recovery.ts';
import type { Settings } from './settings.ts';
import { damageWarnings, warningsFor } from './warnings.ts';

type BaseServices = Serving['services'];

export interface BaseParts {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly catalog: Catalog;
  readonly engine: VectorStore;
  readonly inference: Inference;
  readonly jobs: JobRunner;
  readonly indexes: OpenIndexLifecycle;
  readonly aliases: AliasDirectory;
  readonly meter: RequestMeter;
  readonly identity: OpenIdentity;
  readonly quotas: OpenQuotas;
  readonly live: OpenLive;
  readonly assistants: OpenAssistants;
  readonly recovery: Recovery;
  readonly background: Background;
  readonly nodes: OpenNodes | null;
  /** The archives that are damaged, of a project or of all. */
  readonly damaged: (projectId: string | null) => Promise<Parameters<typeof damageWarnings>[0]>;
}

export function baseServices(parts: BaseParts): BaseServices {
  const { inference, assistants, identity, catalog } = parts;
  const { tokens: identities, invites, people, codes, provider } = identity;
  return {
    control: controlServices(parts),
    inference: { inference },
    assistant: assistants.services,
    openai: { ...assistants.services, inference, textsOfTokens },
    admin: adminServices(parts),
    identity: { identities, invites, people },
    console: {
      ...{ identities, people, codes, provider },
      users: catalog.administration.users,
      release: packageJson.version,
    },
  };
}

function controlServices(parts: BaseParts): BaseServices['control'] {
  const { settings, catalog, engine, inference, jobs, indexes, aliases, meter, live } = parts;
  const { backups, collections, schedules, reembeddings, checks, modelChanges } = parts.background;
  return {
    ...{ catalog, indexes, inference, backups, collections, schedules, reembeddings, checks },
    recoveries: parts.recovery.recoveries,
    cursors: parts.identity.cursors,
    modelChanges: modelChanges.service,
    timeToLives: new TimeToLiveService({ indexes, engine, aliases }),
    recallPromises: new RecallPromiseService({ indexes, meter }),
    memoryProfiles: new MemoryProfileService({ indexes, engine, preset: settings.memoryProfile }),
    histories: new HistoryService({ catalog, engine, indexes, jobs, aliases }),
    feeds: new ChangeFeed({ indexes, engine, aliases }),
    branches: new BranchService({
      ...{ catalog, engine, indexes, jobs, aliases, inference },
      admission: modelChanges.admission,
      quotas: parts.quotas.service.growth,
    }),
    overviews: overviewsOf(parts),
    live: live.view(indexes),
    tools: toolGuide(settings.mcp),
  };
}

function overviewsOf(parts: BaseParts): OverviewService {
  const { settings, catalog, engine, inference, indexes, meter, assistants, damaged } = parts;
  return new OverviewService({
    ...{ indexes, directory: indexes.directory, engine, meter },
    jobs: catalog.jobs,
    warnings: async ({ projectId }, metrics) => [
      ...(await warningsFor(settings, metrics, [...inference.notices(), ...assistants.notices])),
      ...damageWarnings(await damaged(projectId)),
    ],
  });
}

function adminServices(parts: BaseParts): BaseServices['admin'] {
  const { settings, logger, catalog, jobs, indexes, identity, quotas, nodes } = parts;
  const { cursors, invites, firstAccess } = identity;
  const { organizationId } = firstAccess;
  return {
    ...{ administration: catalog.administration, cursors, invites, quotas: quotas.service },
    nodes: new NodeService({
      ...{ catalog, jobs, organizationId },
      nodeId: catalog.nodeId,
      store: catalog.nodes,
      createCopy: (copy) => nodes?.createCopy(copy) ?? Promise.reject(new Error('There are no nodes.')),
      indexByName: (projectId, name) => indexes.directory.byName(projectId, name),
      allIndexes: () => indexes.directory.all(),
    }),
    log: logControl(logger, settings.logLevel, organizationId),
    now: () => new Date(),
  };
}
