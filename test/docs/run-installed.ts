// Runs the Python and Go blocks of the documentation, and the calls of both SDKs in the OpenAPI document.
//
// It installs the SDKs into a folder outside the tree, and says SKIPPED where a language or its registry is missing.
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Service, startService } from '../support/service.ts';
import { clean } from './clean.ts';
import { type GoPart, goProgram } from './go-program.ts';
import { type Block, blocksOf } from './page.ts';
import { placeOf, withPlaces } from './placeholders.ts';
import { runSetups } from './run-page.ts';
import { samplesOf } from './samples.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = process.env.PINYON_CLIENTS_DIR ?? join(tmpdir(), 'pinyon-clients');
const PYTHON_PACKAGES = ['pinecone==10.2.0', 'openai==2.48.0'];
const GO_MODULE = 'github.com/pinecone-io/go-pinecone/v5@v5.2.0';
const PAGES = globSync(['README.md', 'docs/*.md'], { cwd: ROOT }).sort();

type Runner = (name: string, code: string) => void;

/** Undefined, with a line that says why, where the language cannot be had. */
function prepare(language: string, install: () => Runner): Runner | undefined {
  try {
    return install();
  } catch (error) {
    const [reason] = String(error instanceof Error ? error.message : error).split('\n');
    process.stdout.write(`SKIPPED: ${language}: ${reason}\n`);
    return undefined;
  }
}

function installPython(): Runner {
  const folder = join(FOLDER, 'docs-python');
  mkdirSync(folder, { recursive: true });
  const python = join(folder, 'env/bin/python');
  execFileSync('python3', ['-m', 'venv', 'env'], { cwd: folder, stdio: 'pipe' });
  execFileSync(python, ['-m', 'pip', 'install', '--quiet', ...PYTHON_PACKAGES], {
    cwd: folder,
    stdio: 'pipe',
  });
  return (_, code) =>
    execFileSync(python, ['-c', code], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
}

function installGo(): Runner {
  const folder = join(FOLDER, 'docs-go');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'go.mod'), 'module docs\n');
  execFileSync('go', ['get', GO_MODULE], { cwd: folder, stdio: 'pipe' });
  return (_, code) => {
    writeFileSync(join(folder, 'main.go'), code);
    execFileSync('go', ['mod', 'tidy'], { cwd: folder, stdio: 'pipe' });
    execFileSync('go', ['run', '.'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  };
}

function isRun({ notRun }: Block): boolean {
  return notRun === null;
}

let failures = 0;
function attempt(name: string, run: () => void): void {
  try {
    run();
    process.stdout.write(`ok ${name}\n`);
  } catch {
    failures++;
    process.stdout.write(`FAILED ${name}\n`);
  }
}

async function runPython(run: Runner, service: Service): Promise<void> {
  const place = placeOf(service);
  for (const page of PAGES) {
    const blocks = blocksOf(readFileSync(join(ROOT, page), 'utf8'));
    const own = blocks.filter(({ language }) => language === 'python');
    if (own.length === 0) continue;
    await runSetups(blocks, service);
    const code = withPlaces(
      own
        .filter(isRun)
        .map((block) => block.code)
        .join('\n'),
      place,
    );
    attempt(`${page}, Python`, () => run(page, code));
    for (const { code: other, line } of own.filter((block) => !isRun(block)))
      attempt(`${page}:${line}, Python, compiled`, () =>
        run(page, `compile(${JSON.stringify(other)}, 'block', 'exec')`),
      );
    await clean(service);
  }
  for (const { operation, source } of samplesOf('python'))
    attempt(`${operation}, Python`, () => run(operation, withPlaces(source, place)));
  await clean(service);
}

async function runGo(run: Runner, service: Service): Promise<void> {
  const place = placeOf(service);
  for (const page of PAGES) {
    const blocks = blocksOf(readFileSync(join(ROOT, page), 'utf8'));
    const own = blocks.filter(({ language }) => language === 'go');
    if (own.length === 0) continue;
    await runSetups(blocks, service);
    attempt(`${page}, Go`, () => run(page, withPlaces(goProgram(own.filter(isRun).map(partOf)), place)));
    await clean(service);
  }
  const parts = samplesOf('go').map(({ operation: name, source: code }) => ({ name, code }));
  attempt('the calls of the OpenAPI document, Go', () => run('samples', withPlaces(goProgram(parts), place)));
}

function partOf({ line, code }: Block): GoPart {
  return { name: `line ${line}`, code };
}

const python = prepare('Python', installPython);
const go = prepare('Go', installGo);
const service = await startService();
try {
  if (python !== undefined) await runPython(python, service);
  if (go !== undefined) await runGo(go, service);
} finally {
  await service.dispose();
}
process.stdout.write(failures === 0 ? 'All of them work.\n' : `${failures} of them fail.\n`);
process.exitCode = failures === 0 ? 0 : 1;
