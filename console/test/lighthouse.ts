// Lighthouse's score of accessibility for each screen, signed in, at both widths. Run: npm run test:lighthouse. It installs
// Lighthouse into a temporary folder; with words behind `--`, only the screens whose names contain one.
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { table } from '../../bench/support/figures.ts';
import { type Service, startService } from '../../test/support/service.ts';
import { browserProgram } from './browser.ts';

/** An exact release: another one may weigh the same page differently. */
const PACKAGE = 'lighthouse@13.5.0';
const SCORE_MIN = 95;
const AUDIT_MS_MAX = 120_000;
const SCREENS: Readonly<Record<string, string>> = {
  indexes: '#/',
  records: '#/indexes/samples',
  'a record': '#/indexes/samples?id=octopus',
  map: '#/indexes/samples?tab=map',
  namespaces: '#/indexes/samples?tab=namespaces',
  import: '#/indexes/samples?tab=transfer',
  settings: '#/indexes/samples?tab=settings',
  search: '#/search?index=samples&text=sea',
  assistants: '#/assistants',
  backups: '#/backups',
  mcp: '#/mcp',
  live: '#/live',
  keys: '#/admin',
  people: '#/admin?tab=people',
  audit: '#/admin?tab=audit',
};
const WIDTHS = { 1280: ['--preset=desktop'], 400: [] };

interface Report {
  readonly categories: { readonly accessibility: { readonly score: number | null } };
  readonly audits: Readonly<Record<string, { readonly score: number | null; readonly title: string }>>;
}

const words = process.argv.slice(2);
const program = browserProgram();
const folder = process.env.PINYON_LIGHTHOUSE ?? mkdtempSync(join(tmpdir(), 'pinyon-lighthouse-'));
try {
  const lighthouse = program === undefined ? 'no Chromium is installed here' : install();
  if (program === undefined || !existsSync(lighthouse)) {
    process.stdout.write(`SKIPPED: ${lighthouse}.\n`);
  } else await scoreAll(program, lighthouse);
} finally {
  if (process.env.PINYON_LIGHTHOUSE === undefined) rmSync(folder, { recursive: true, force: true });
}

/** The path of the program, or why there is none. */
function install(): string {
  const path = join(folder, 'node_modules', 'lighthouse', 'cli', 'index.js');
  if (existsSync(path)) return path;
  const options = ['--no-save', '--no-fund', '--no-audit', '--ignore-scripts', '--prefix', folder];
  const { status, stderr } = spawnSync('npm', ['install', ...options, PACKAGE], { encoding: 'utf8' });
  return status === 0 ? path : `${PACKAGE} cannot be installed: ${stderr.trim().split('\n').at(-1)}`;
}

async function scoreAll(browserPath: string, lighthouse: string): Promise<void> {
  const service = await startService();
  const port = await freePort();
  // Of Lighthouse's own tabs, the cookies are those of the browser, and of no window beside it.
  const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
    executablePath: browserPath,
    args: ['--no-sandbox', `--remote-debugging-port=${port}`],
  });
  try {
    const page = await context.newPage();
    const figures = [await score('sign-in', service.url)];
    await signIn(page, service);
    await loadSamples(page, service);
    for (const [name, fragment] of Object.entries(SCREENS))
      if (words.length === 0 || words.some((word) => name.includes(word)))
        figures.push(await score(name, `${service.url}/${fragment}`));
    console.log(table(figures));
    if (figures.some(({ met }) => !met)) process.exitCode = 1;
  } finally {
    await context.close();
    await service.dispose();
  }

  async function score(name: string, url: string) {
    const found = [];
    for (const [width, options] of Object.entries(WIDTHS)) {
      const { categories, audits } = await run(url, options);
      const failed = Object.values(audits).filter((audit) => audit.score !== null && audit.score < 1);
      const points = Math.round((categories.accessibility.score ?? 0) * 100);
      found.push({ points, text: [`${points} at ${width}`, ...failed.map(({ title }) => title)].join('; ') });
    }
    return {
      what: name,
      goal: `>= ${SCORE_MIN}`,
      measured: found.map(({ text }) => text).join(', '),
      met: found.every(({ points }) => points >= SCORE_MIN),
    };
  }

  async function run(url: string, options: readonly string[]): Promise<Report> {
    const all = [
      url,
      '--only-categories=accessibility',
      '--output=json',
      '--quiet',
      '--disable-storage-reset',
    ];
    // The library attaches to Lighthouse's tab too, and would hold it up while this thread waits.
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [lighthouse, ...all, `--port=${port}`, ...options],
      { maxBuffer: 64 * 2 ** 20, timeout: AUDIT_MS_MAX },
    );
    return JSON.parse(stdout);
  }
}

/** By the link that the first start prints, which may do everything. */
async function signIn(page: Page, service: Service): Promise<void> {
  const [link = ''] = /http:\S+#\/sign-in\?code=[\w-]+/.exec(service.process.printed) ?? [];
  await page.goto(link);
  await page.getByRole('heading', { name: 'Sample data' }).waitFor();
}

async function loadSamples(page: Page, service: Service): Promise<void> {
  await page.getByRole('button', { name: 'Load the sample data', exact: true }).click();
  await page.locator('.hits li').first().waitFor();
  await page.goto(`${service.url}/#/indexes/samples?tab=map`);
  await page.getByRole('button', { name: 'Make the map', exact: true }).click();
  await page.getByRole('application').waitFor();
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
