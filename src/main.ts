// The program: reads its settings, starts the service, says so, and stops when told to.
import { join } from 'node:path';
import packageFacts from '../package.json' with { type: 'json' };
import { openCatalog } from './catalog/sqlite/open-catalog.ts';
import { openIndexLifecycle } from './control/index-lifecycle.ts';
import { openEngine } from './engine-threads/open-engine.ts';
import { banner } from './server/banner.ts';
import { boot } from './server/boot.ts';
import { createLogger } from './server/request-log.ts';
import { helpText } from './server/settings-pages.ts';
import { onSignals } from './server/signals.ts';
import { farewellFor } from './server/start-problems.ts';
import { readSettings, unknownSettings } from './settings.ts';
import { controlEndpoints } from './surfaces/control/index.ts';
import { dataEndpoints } from './surfaces/data/index.ts';

const CATALOG_FILE = 'catalog.sqlite';
const EXIT_MISUSED = 2;

async function main(words: readonly string[]): Promise<void> {
  const [word] = words;
  if (word === '--help' || word === '-h') process.stdout.write(helpText());
  else if (word === '--version' || word === '-v') process.stdout.write(`${packageFacts.version}\n`);
  else if (word === undefined) await start();
  else {
    process.stderr.write(`Unknown argument ${word}. See pinyon --help.\n`);
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
    endpoints: { control: controlEndpoints, data: dataEndpoints },
    openCatalog: ({ dataDir }) => openCatalog({ path: join(dataDir, CATALOG_FILE) }),
    openEngine,
    openLifecycle: openIndexLifecycle,
  });
  onSignals(process, { stop: running.stop, exit: process.exit });
  const { port, firstKey } = running;
  process.stdout.write(banner({ version: packageFacts.version, settings, port, firstKey }));
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const { text, exitCode } = farewellFor(error);
  process.stderr.write(`${text}\n`);
  process.exit(exitCode);
}
