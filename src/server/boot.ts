// Boot and shutdown as a recipe: ordered, named steps, each with its reason.
import type { Catalog } from '../catalog/port.ts';
import type { IndexLifecycleOptions, OpenIndexLifecycle } from '../control/index-lifecycle.ts';
import type { Settings } from '../settings.ts';
import type { VectorEngine } from '../vectors/engine.ts';
import { bootstrapAccess, type FirstKey } from './bootstrap-access.ts';
import { prepareDataDir } from './data-dir.ts';
import { indexHostsFor } from './index-hosts.ts';
import { KeyRing } from './key-ring.ts';
import type { Logger } from './request-log.ts';
import { createServer, type Serving } from './server.ts';
import { portProblem } from './start-problems.ts';
import { readTlsFiles } from './tls-files.ts';

/** What the recipe is cooked with; tests give others. */
export interface BootParts {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly endpoints: Serving['endpoints'];
  readonly openCatalog: (settings: Settings) => Promise<Catalog>;
  readonly openEngine: (settings: Settings, logger: Logger) => Promise<VectorEngine>;
  readonly openLifecycle: (options: IndexLifecycleOptions) => Promise<OpenIndexLifecycle>;
}

export interface RunningServer {
  readonly port: number;
  readonly firstKey: FirstKey;
  /** Lets running requests finish, then closes everything. */
  stop(): Promise<void>;
}

/** Resolves when every index and the base address answer. @throws with the reason when a step fails */
export async function boot(parts: BootParts): Promise<RunningServer> {
  const { settings, logger, endpoints } = parts;
  // Cheap checks come first: nothing is touched when the start cannot succeed.
  const tls = readTlsFiles(settings);
  await prepareDataDir(settings.dataDir);
  // The catalog holds the lock on the data directory, so it opens before anything else in there.
  const catalog = await parts.openCatalog(settings);
  const firstKey = await bootstrapAccess(catalog, settings.apiKey);
  const keys = new KeyRing();
  await keys.refresh(catalog);
  const engine = await parts.openEngine(settings, logger);
  const server = createServer({ settings, tls, logger, keys });
  const lifecycle = await parts.openLifecycle({
    catalog,
    engine,
    ports: server.ports,
    hosts: indexHostsFor(settings),
    portRange: settings.publicDomain === null ? settings.indexPorts : null,
    regions: settings.regions,
    onFailure: (error) => logger.error({ err: error }, 'work on an index failed and will be tried again'),
  });
  await server.serve({ endpoints, services: { catalog, indexes: lifecycle }, engine, directory: lifecycle });
  await lifecycle.start();
  // The base port opens last: whoever gets an answer from /health gets one from every index too.
  const port = await openBasePort(() => server.listen(), settings);
  return {
    port,
    firstKey,
    stop: async () => {
      await server.stop();
      await lifecycle.close();
      await engine.close();
      await catalog.close();
    },
  };
}

async function openBasePort(listen: () => Promise<number>, { bind, port }: Settings): Promise<number> {
  try {
    return await listen();
  } catch (error) {
    throw portProblem(error, bind, port);
  }
}
