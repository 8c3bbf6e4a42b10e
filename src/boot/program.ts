// The program over an engine of its caller's choice: runs a command, or starts the service and stops it on a signal.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import packageJson from '../../package.json' with { type: 'json' };
import { adminEndpoints } from '../api/rest/admin-endpoints.ts';
import { assistantEndpoints } from '../api/rest/assistant-endpoints.ts';
import { consoleEndpoints } from '../api/rest/console-endpoints.ts';
import { controlEndpoints } from '../api/rest/control-endpoints.ts';
import { dataRoutes } from '../api/rest/data-routes.ts';
import { identityEndpoints } from '../api/rest/identity-endpoints.ts';
import { inferenceEndpoints } from '../api/rest/inference-endpoints.ts';
import { credentialsText, resetCredentials } from '../app/access/reset-credentials.ts';
import { openIndexLifecycle } from '../app/indexes/index-lifecycle.ts';
import { openCatalog } from '../catalog/sqlite/open-catalog.ts';
import type { Command } from '../cli/command.ts';
import { COMMANDS, commandList } from '../cli/commands.ts';
import { runClient } from '../cli/main.ts';
import { processIo, runCommand } from '../cli/run-command.ts';
import type { Inference } from '../domain/inference/port.ts';
import { createLogger } from '../http/logger.ts';
import type { Logger } from '../http/request-log.ts';
import { ModelsProblem, modelsDirOf, openInference } from '../inference/open-inference.ts';
import { MODELS_USAGE, modelsCommand } from '../inference/pull/models-command.ts';
import { banner } from './banner.ts';
import { type BootParts, boot } from './boot.ts';
import { CATALOG_FILE } from './data-dir.ts';
import { openConfiguredBlobs } from './open-configured-blobs.ts';
import { readSettings, unknownSettings } from './read-settings.ts';
import type { Settings } from './settings.ts';
import { helpText } from './settings-pages.ts';
import { onSignals } from './signals.ts';
import { exitMessageFor, StartProblem } from './start-problems.ts';

const EXIT_FAILED = 1;
const EXIT_MISUSED = 2;
const STANDARD_INPUT = 0;

/** Commands that work on the server's files, with the options and exit codes of client commands. */
const FILE_COMMANDS: readonly Command[] = [
  {
    name: 'check',
    summary: 'Verify all data of a stopped server, or the indexes of a running one',
    run: async (words, io) => (await import('./integrity/check-command.ts')).check(words, io),
  },
  {
    name: 'repair',
    summary: 'Save what is left of a damaged index, or restore it from a backup',
    run: async (words, io) => (await import('./integrity/repair-command.ts')).repair(words, io),
  },
];
/** Others that work on the server's files. */
const LOCAL_COMMANDS = [
  ...FILE_COMMANDS.map((command) => ({
    ...command,
    run: async (words: readonly string[]) => {
      process.exitCode = await runCommand(command, words, processIo());
    },
  })),
  { name: 'models', summary: 'List the provider of each model; pull a local model', run: models },
  {
    name: 'admin',
    summary: 'reset-credentials: create a new secret and key while the server is stopped',
    run: admin,
  },
];
const COMMANDS_TEXT = commandList([...COMMANDS, ...LOCAL_COMMANDS]);

type OpenEngineOf = BootParts['openEngine'];

/** Runs the command that the words name; without words, the service. Prints why it cannot, and exits. */
export async function runProgram(words: readonly string[], openEngine: OpenEngineOf): Promise<void> {
  try {
    await run(words, openEngine);
  } catch (error) {
    const { text, exitCode } = exitMessageFor(error);
    process.stderr.write(`${text}\n`);
    process.exit(exitCode);
  }
}

async function run(words: readonly string[], openEngine: OpenEngineOf): Promise<void> {
  const [word, ...rest] = words;
  if (await runClient(words)) return;
  const local = LOCAL_COMMANDS.find(({ name }) => name === word);
  if (local !== undefined) await local.run(rest);
  else if (word === '--help' || word === '-h') process.stdout.write(helpText(COMMANDS_TEXT));
  else if (word === '--version' || word === '-v') process.stdout.write(`${packageJson.version}\n`);
  else if (word === undefined) await start(openEngine);
  else misused(words);
}

function misused(words: readonly string[]): void {
  process.stderr.write(`Unknown command '${words.join(' ')}'. See pinyon --help.\n`);
  process.exitCode = EXIT_MISUSED;
}

async function admin(words: readonly string[]): Promise<void> {
  if (words.join(' ') === 'reset-credentials') await reset();
  else misused(['admin', ...words]);
}

async function start(openEngine: OpenEngineOf): Promise<void> {
  const settings = readSettings(process.env);
  const startedAt = performance.now();
  const logger = createLogger(settings);
  for (const { name, nearest } of unknownSettings(process.env)) {
    logger.warn(
      { name, nearest },
      `unknown setting ${name} ignored${nearest === null ? '' : `: is ${nearest} meant?`}`,
    );
  }
  const running = await boot({
    settings,
    logger,
    endpoints: {
      control: controlEndpoints,
      inference: inferenceEndpoints,
      assistant: assistantEndpoints,
      data: dataRoutes,
      admin: adminEndpoints,
      identity: identityEndpoints,
      console: consoleEndpoints,
    },
    openInference: openModels,
    openCatalog: ({ dataDir }) => openCatalog({ path: join(dataDir, CATALOG_FILE) }),
    openBlobs: openConfiguredBlobs,
    openEngine,
    openLifecycle: openIndexLifecycle,
  });
  const { stop, reload } = running;
  onSignals(process, {
    stop: loggedStop(stop, logger),
    exit: process.exit,
    reload,
    isInTerminal: isatty(STANDARD_INPUT),
  });
  const { port, firstAccess, signInLink, notices } = running;
  process.stdout.write(
    banner({ version: packageJson.version, settings, port, firstAccess, signInLink, notices }),
  );
  const { dataDir } = settings;
  const ms = Math.round(performance.now() - startedAt);
  logger.info({ release: packageJson.version, node: process.versions.node, port, dataDir, ms }, 'started');
}

function loggedStop(stop: () => Promise<void>, logger: Logger): () => Promise<void> {
  return async () => {
    logger.info('stopping');
    try {
      await stop();
      logger.info('stopped');
    } catch (error) {
      logger.fatal({ err: error }, 'stopping failed');
      throw error;
    }
  };
}

async function openModels(settings: Settings, logger: Logger): Promise<Inference> {
  try {
    return await openInference(settings, {
      environment: process.env,
      onProviderError: (model, { kind, message }) =>
        logger.warn({ model, kind, reason: message }, 'a model failed'),
    });
  } catch (error) {
    throw error instanceof ModelsProblem ? new StartProblem(`${error.message}.`) : error;
  }
}

async function models(words: readonly string[]): Promise<void> {
  const settings = readSettings(process.env);
  try {
    const isDone = await modelsCommand(words, {
      settings: settings.models ?? new Map(),
      modelsDir: modelsDirOf(settings),
      write: (text) => process.stdout.write(text),
      isTerminal: process.stdout.isTTY,
    });
    if (isDone) return;
    process.stderr.write(`${MODELS_USAGE}\n`);
    process.exitCode = EXIT_MISUSED;
  } catch (error) {
    if (!(error instanceof ModelsProblem)) throw error;
    process.stderr.write(`${error.message}.\n`);
    process.exitCode = EXIT_FAILED;
  }
}

async function reset(): Promise<void> {
  const path = join(readSettings(process.env).dataDir, CATALOG_FILE);
  if (!existsSync(path)) throw new StartProblem(`there is no catalog at ${path}. Set PINYON_DATA_DIR.`);
  const catalog = await openCatalog({ path });
  try {
    const credentials = await resetCredentials(catalog);
    if (credentials === null) throw new StartProblem('the data directory holds no organization yet.');
    process.stdout.write(credentialsText(credentials));
  } finally {
    await catalog.close();
  }
}
