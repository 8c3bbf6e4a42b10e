// How each engine of the contest is installed and started.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { cachePath } from '../../peers/support/cache.ts';
import { run } from '../../peers/support/children.ts';
import type { Program } from './contestant.ts';

const TANTIVY = '0.27.0';
const LUCENE = '10.3.1';
const JAVA_MIN = 21;
const INSTALL_SECONDS_MAX = 600;
const PYTHON = process.env.BENCH_PYTHON ?? 'python3';

export const PROGRAMS: Readonly<Record<string, () => Promise<Program>>> = { pinyon, tantivy, lucene };

async function pinyon(): Promise<Program> {
  const args = ['--expose-gc', '--no-maglev-osr', beside('pinyon.ts')];
  return { name: 'Pinyon', version: 'this tree', command: process.execPath, args };
}

/** @throws without Python or its package index */
async function tantivy(): Promise<Program> {
  const folder = cachePath('python', `tantivy-${TANTIVY}`);
  if (!existsSync(`${folder}/complete`)) {
    const limits = { secondsMax: INSTALL_SECONDS_MAX };
    await run(PYTHON, ['-m', 'venv', folder], limits);
    await run(`${folder}/bin/pip`, ['install', '--quiet', '--no-input', `tantivy==${TANTIVY}`], limits);
    await run('touch', [`${folder}/complete`], limits);
  }
  const args = [beside('tantivy_peer.py')];
  return { name: 'tantivy', version: TANTIVY, command: `${folder}/bin/python`, args };
}

/** @throws without Maven, its repository, or a new enough Java */
async function lucene(): Promise<Program> {
  const folder = cachePath('java', `lucene-${LUCENE}`, 'pom.xml').replace('/pom.xml', '');
  if (!existsSync(`${folder}/lib`)) {
    writeFileSync(`${folder}/pom.xml`, project(['lucene-core', 'lucene-analysis-common']));
    const words = ['-B', '-q', 'dependency:copy-dependencies', '-DoutputDirectory=lib'];
    await run('mvn', words, { cwd: folder, secondsMax: INSTALL_SECONDS_MAX });
  }
  // Lucene's own advice for its SIMD code.
  const vectors = ['--add-modules', 'jdk.incubator.vector'];
  const args = ['-Xmx4g', ...vectors, '-cp', `${folder}/lib/*`, beside('LucenePeer.java')];
  return { name: 'Lucene', version: LUCENE, command: javaProgram(), args };
}

function project(artifacts: readonly string[]): string {
  const dependencies = artifacts.map(
    (name) =>
      `<dependency><groupId>org.apache.lucene</groupId><artifactId>${name}</artifactId><version>${LUCENE}</version></dependency>`,
  );
  return `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>bench</groupId><artifactId>bench</artifactId><version>1</version>
<dependencies>${dependencies.join('')}</dependencies></project>`;
}

/** BENCH_JAVA, else the first installed one that is new enough. */
function javaProgram(): string {
  const installed = globSync('/usr/lib/jvm/*/bin/java');
  const candidates = [process.env.BENCH_JAVA ?? 'java', ...installed];
  const found = candidates.find((path) => javaRelease(path) >= JAVA_MIN);
  if (found === undefined)
    throw new Error(`Java ${JAVA_MIN} or newer is needed: set BENCH_JAVA to its program`);
  return found;
}

/** 0 where there is no such program. */
function javaRelease(path: string): number {
  const { stderr } = spawnSync(path, ['-XshowSettings:properties', '-version'], { encoding: 'utf8' });
  return Number(/java\.specification\.version = (\d+)/.exec(stderr ?? '')?.[1] ?? 0);
}

function beside(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
