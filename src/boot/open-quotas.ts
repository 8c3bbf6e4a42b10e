// Opens the quotas: those of the settings, and those that administrators have set.
import { projectFiles, projectUsage, type UsageSources } from '../app/quotas/project-usage.ts';
import { QuotaService } from '../app/quotas/quota-service.ts';
import type { Catalog } from '../catalog/port.ts';
import type { Logger } from '../http/request-log.ts';
import type { Settings } from './settings.ts';

/** Where several nodes share a catalog, they hear of each other's changes after so long. */
const RELOAD_MS = 30_000;

export interface OpenQuotas {
  readonly service: QuotaService;
  close(): void;
}

export async function openQuotas(
  {
    catalog,
    settings,
    logger,
  }: { readonly catalog: Catalog; readonly settings: Settings; readonly logger: Logger },
  engine: UsageSources['engine'],
): Promise<OpenQuotas> {
  const { quotas } = catalog.administration;
  const service = new QuotaService({
    store: quotas,
    defaults: {
      project: {
        requestsPerSecond: settings.projectRequestsPerSecond,
        writeMegabytesPerSecond: settings.projectWriteMegabytesPerSecond,
        records: settings.projectRecordsMax,
        storageMegabytes: settings.projectStorageMegabytesMax,
        indexes: settings.projectIndexesMax,
        files: settings.projectFilesMax,
      },
      key: {
        requestsPerSecond: settings.keyRequestsPerSecond,
        writeMegabytesPerSecond: settings.keyWriteMegabytesPerSecond,
      },
    },
    usageOf: (projectId) =>
      projectUsage(
        {
          indexes: () => catalog.indexes.list(),
          engine,
          files: catalog.assistantFiles,
          jobs: catalog.jobs,
          archives: catalog.archives,
        },
        projectId,
      ),
    filesOf: (projectId) => projectFiles(catalog.assistantFiles, projectId),
  });
  await service.load();
  const reloading = setInterval(
    () => void service.load().catch((error) => logger.warn({ err: error }, 'quotas could not be read again')),
    RELOAD_MS,
  ).unref();
  return { service, close: () => clearInterval(reloading) };
}
