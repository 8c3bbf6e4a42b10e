// The program: reads its settings, starts the service, says so, and stops when told to.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import packageFacts from '../package.json' with { type: 'json' };
import { openCatalog } from './catalog/sqlite/open-catalog.ts';
import { openIndexLifecycle } from './control/index-lifecycle.ts';
import { openEngine } from './engine-threads/open-engine.ts';
import { banner } from './server/banner.ts';
import { boot } from './server/boot.ts';
import { createLogger } from './server/request-log.ts';
import { credentialsText, resetCredentials } from './server/reset-credentials.ts';
import { helpText } from './server/settings-pages.ts';
import { onSignals } from './server/signals.ts';
import { farewellFor, StartProblem } from './server/start-problems.ts';
import { readSettings, unknownSettings } from './settings.ts';
import { adminEndpoints } from './surfaces/admin/index.ts';
import { controlEndpoints } from './surfaces/control/index.ts';
import { dataEndpoints } from './surfaces/data/index.ts';
import { identityEndpoints } from './surfaces/identity/index.ts';

const CATALOG_FILE = 'catalog.sqlite';
const EXIT_MISUSED = 2;

async function main(words: readonly string[]): Promise<void> {
  const [word, ...rest] = words;
  if (word === '--help' || word === '-h') process.stdout.write(helpText());
  else if (word === '--version' || word === '-v') process.stdout.write(`${packageFacts.version}\n`);
  else if (word === undefined) await start();
  else if (word === 'admin' && rest.join(' ') === 'reset-credentials') await reset();
  else {
    process.stderr.write(`Unknown argument ${words.join(' ')}. See pinyon --help.\n`);
    process.exitCode = EXIT_MISUSED;
  }
}

async function start(): Promise<void> {
  const settings = readSettings(process.env);
  const logger = createLogger(settings.logLevel);
  for (const name of unknownSettings(process.env)) logger.warn({ name }, 'unknown setting ignored');
  const running = await boot({
    settings,
    logger,
    endpoints: {
      control: controlEndpoints,
      data: dataEndpoints,
      admin: adminEndpoints,
      identity: identityEndpoints,
    },
    openCatalog: ({ dataDir }) => openCatalog({ path: join(dataDir, CATALOG_FILE) }),
    openEngine,
    openLifecycle: openIndexLifecycle,
  });
  onSignals(process, { stop: running.stop, exit: process.exit });
  const { port, firstAccess } = running;
  process.stdout.write(banner({ version: packageFacts.version, settings, port, firstAccess }));
}

async function reset(): Promise<void> {
  const path = join(readSettings(process.env).dataDir, CATALOG_FILE);
  if (!existsSync(path)) throw new StartProblem(`there is no catalog at ${path}. Set PINYON_DATA_DIR.`);
  const catalog = await openCatalog({ path });
  try {
    process.stdout.write(credentialsText(await resetCredentials(catalog)));
  } finally {
    await catalog.close();
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const { text, exitCode } = farewellFor(error);
  process.stderr.write(`${text}\n`);
  process.exit(exitCode);
}
