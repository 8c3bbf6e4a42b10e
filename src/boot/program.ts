// The program over an engine of its caller's choice: runs a command, or starts the service and stops it on a signal.
import { isatty } from 'node:tty';
import packageJson from '../../package.json' with { type: 'json' };
import { adminEndpoints } from '../api/rest/admin-endpoints.ts';
import { assistantEndpoints } from '../api/rest/assistant-endpoints.ts';
import { consoleEndpoints } from '../api/rest/console-endpoints.ts';
import { controlEndpoints } from '../api/rest/control-endpoints.ts';
import { dataRoutes } from '../api/rest/data-routes.ts';
import { identityEndpoints } from '../api/rest/identity-endpoints.ts';
import { inferenceEndpoints } from '../api/rest/inference-endpoints.ts';
import { openAiEndpoints } from '../api/rest/openai-endpoints.ts';
import { credentialsText, resetCredentials } from '../app/access/reset-credentials.ts';
import { openIndexLifecycle } from '../app/indexes/index-lifecycle.ts';
import {
  CliProblem,
  EXIT_BROKEN,
  EXIT_DONE,
  EXIT_FAILED,
  Interruption,
  type Io,
  misuse,
  type ParsedWords,
  type Run,
} from '../cli/command.ts';
import { problemOf } from '../cli/line/problem-of.ts';
import { runClient } from '../cli/main.ts';
import { print } from '../cli/terminal/print.ts';
import type { Inference } from '../domain/inference/port.ts';
import { logWarnings } from '../http/log-warnings.ts';
import { createLogger } from '../http/logger.ts';
import type { Logger } from '../http/request-log.ts';
import { ModelsProblem, modelsDirOf, openInference, runtimeDirOf } from '../inference/open-inference.ts';
import { listModels, modelsText, pullCommand } from '../inference/pull/models-command.ts';
import { assertOwner } from './assert-owner.ts';
import { banner } from './banner.ts';
import { type BootParts, boot, type RunningServer } from './boot.ts';
import {
  type CatalogEvents,
  openConfiguredCatalog,
  openStoppedCatalog,
} from './catalog/open-configured-catalog.ts';
import { openConfiguredBlobs } from './open-configured-blobs.ts';
import { readServerSettings, readSettings, unknownSettings } from './read-settings.ts';
import type { Settings } from './settings.ts';
import { settingsJson, settingsText } from './settings-pages.ts';
import { onSignals } from './signals.ts';
import { exitMessageFor, StartProblem } from './start-problems.ts';
import { startSignals } from './start-signals.ts';

const STANDARD_INPUT = 0;

type OpenEngineOf = BootParts['openEngine'];

/** Runs the command that the words name; without words, the service. Prints why it cannot, and exits. */
export async function runProgram(words: readonly string[], openEngine: OpenEngineOf): Promise<void> {
  try {
    if (!(await runClient(words, runsOf(openEngine)))) await start(openEngine);
  } catch (error) {
    const { text, exitCode } = exitMessageFor(error);
    process.stderr.write(`${text}\n`);
    process.exit(exitCode);
  }
}

/** The commands of the table that need the server's own code, by path. */
export function runsOf(openEngine: OpenEngineOf): Readonly<Record<string, Run>> {
  const serve: Run = async (words) => {
    if (words.flag('json')) throw misuse('serve has no result to print as JSON.');
    await start(openEngine);
    return EXIT_DONE;
  };
  const others = Object.entries(fileRuns(openEngine)).map(([path, run]) => [path, explained(path, run)]);
  return { serve, ...Object.fromEntries(others) };
}

/** As the run; what fails as a start of the server does is a problem of this command. */
function explained(path: string, run: Run): Run {
  return (words, io) =>
    run(words, io).catch((error: unknown) => {
      if (problemOf(error) !== null || io.signal.aborted || error instanceof Interruption) throw error;
      const { text, exitCode } = exitMessageFor(error, `pinyon ${path} cannot run`);
      throw new CliProblem(text, exitCode, error);
    });
}

function fileRuns(openEngine: OpenEngineOf): Readonly<Record<string, Run>> {
  return {
    settings: async (words, io) => {
      print(words, io, { json: settingsJson(), text: settingsText() });
      return EXIT_DONE;
    },
    check: async (words, io) => (await import('./integrity/check-command.ts')).check(words, io),
    repair: async (words, io) => (await import('./integrity/repair-command.ts')).repair(words, io),
    recover: async (words, io) =>
      (await import('./integrity/recover-command.ts')).recover(words, io, openEngine),
    'catalog copy': async (words, io) =>
      (await import('./catalog/catalog-command.ts')).copyTheCatalog(words, io),
    'models list': async (words, io) => {
      const settings = readSettings(io.environment);
      const list = listModels({ settings: settings.models ?? new Map(), modelsDir: modelsDirOf(settings) });
      print(words, io, { json: list, text: modelsText(list) });
      return EXIT_DONE;
    },
    'models pull': pull,
    'admin reset-credentials': reset,
  };
}

async function start(openEngine: OpenEngineOf): Promise<void> {
  const settings = readServerSettings(process.env);
  const startedAt = performance.now();
  const logger = createLogger(settings);
  logWarnings(process, logger);
  const { promise: starting, resolve, reject } = Promise.withResolvers<RunningServer>();
  // Before the first line: whoever reads one may send a signal.
  onSignals(process, {
    ...startSignals(starting, logger),
    exit: process.exit,
    isInTerminal: isatty(STANDARD_INPUT),
  });
  for (const { name, nearest } of unknownSettings(process.env)) {
    logger.warn(
      { name, nearest },
      `unknown setting ${name} ignored${nearest === null ? '' : `: is ${nearest} meant?`}`,
    );
  }
  boot({
    settings,
    logger,
    endpoints: {
      control: controlEndpoints,
      inference: inferenceEndpoints,
      assistant: assistantEndpoints,
      openai: openAiEndpoints,
      data: dataRoutes,
      admin: adminEndpoints,
      identity: identityEndpoints,
      console: consoleEndpoints,
    },
    openInference: openModels,
    openCatalog: (chosen) => openConfiguredCatalog(chosen, catalogEvents(logger)),
    openBlobs: openConfiguredBlobs,
    openEngine,
    openLifecycle: openIndexLifecycle,
  }).then(resolve, reject);
  const running = await starting;
  const { port, firstAccess, signInLink, notices } = running;
  show(banner({ version: packageJson.version, settings, port, firstAccess, signInLink, notices }), logger);
  const { dataDir } = settings;
  const ms = Math.round(performance.now() - startedAt);
  logger.info({ release: packageJson.version, node: process.versions.node, port, dataDir, ms }, 'started');
}

/** Prints what is for people. Without it, as on a full disk, the server serves all the same. */
function show(text: string, logger: Logger): void {
  // Commands end with the reader of what they print.
  process.stdout.removeAllListeners('error');
  process.stdout.on('error', (error) =>
    logger.warn(
      { err: error },
      'standard output cannot be written: if this was the first start, see pinyon admin reset-credentials',
    ),
  );
  process.stdout.write(text);
}

function catalogEvents(logger: Logger): CatalogEvents {
  return {
    onMigrated: (migrations) => logger.info({ migrations }, 'the catalog was migrated'),
    onFailure: (error) =>
      logger.warn({ err: error }, 'the changes of other nodes cannot be followed at present'),
    onWait: (reason) => logger.warn({ reason }, 'waiting for the database of the catalog'),
    onLost: () => {
      logger.fatal('another server has taken the catalog over, after the database lost this one; stopping');
      process.exit(EXIT_FAILED);
    },
    onDeath: (error) => {
      logger.fatal({ err: error }, 'the thread of the catalog died; stopping');
      process.exit(EXIT_BROKEN);
    },
  };
}

async function openModels(settings: Settings, logger: Logger): Promise<Inference> {
  try {
    return await openInference(settings, {
      environment: process.env,
      // A refusal may quote the text, which is for its caller only.
      onProviderError: (model, { kind, message, status }) =>
        logger.warn(
          { model, kind, reason: kind === 'refused' ? `status ${status}` : message },
          'a model failed',
        ),
    });
  } catch (error) {
    throw error instanceof ModelsProblem ? new StartProblem(`${error.message}.`) : error;
  }
}

async function pull(words: ParsedWords, io: Io): Promise<number> {
  const [name = ''] = words.positionals;
  const isJson = words.flag('json');
  const settings = readSettings(io.environment);
  for (const folder of [modelsDirOf(settings), runtimeDirOf(settings)]) assertOwner(folder);
  try {
    const pulled = await pullCommand(name, {
      modelsDir: modelsDirOf(settings),
      runtimeDir: runtimeDirOf(settings),
      from: words.text('from') ?? settings.modelsFrom ?? undefined,
      proxy: settings.modelsProxy,
      environment: io.environment,
      write: isJson ? io.err : io.out,
      isTerminal: (isJson ? io.columns : io.outColumns) !== null,
    });
    if (isJson) io.out(`${JSON.stringify(pulled)}\n`);
    return EXIT_DONE;
  } catch (error) {
    throw error instanceof ModelsProblem ? new CliProblem(`${error.message}.`) : error;
  }
}

async function reset(words: ParsedWords, io: Io): Promise<number> {
  const settings = readSettings(io.environment);
  assertOwner(settings.dataDir);
  const catalog = await openStoppedCatalog(settings, () => process.exit(EXIT_FAILED));
  try {
    const credentials = await resetCredentials(catalog);
    if (credentials === null) throw new StartProblem('the data directory holds no organization yet.');
    const { clientId, clientSecret, apiKey } = credentials;
    const json = { client_id: clientId, client_secret: clientSecret, api_key: apiKey };
    print(words, io, { json, text: credentialsText(credentials) });
    return EXIT_DONE;
  } finally {
    await catalog.close();
  }
}
