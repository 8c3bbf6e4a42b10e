// Installs what local models run on into a folder of its own, by npm, with the versions and digests of a lock file.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installFolder } from '../../../platform/durable-files.ts';
import { ModelsProblem } from '../../settings/fields.ts';
import lock from './onnx-lock.json' with { type: 'json' };

/** In the data folder. */
export const RUNTIME_FOLDER = 'onnx-runtime';
const RUNTIME = 'onnxruntime-node';
/** Packages that are needed to install the runtime, not to run it. */
const INSTALL_ONLY = ['adm-zip', 'global-agent'];
const OUTPUT_CHARS_MAX = 2_000;

export interface RuntimeOptions {
  /** The folder of the runtime; created whole or not at all. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** By default npm. */
  readonly command?: string;
}

/** Whether a folder has the runtime in the version of the lock file. */
export function hasRuntime(folder: string): boolean {
  return existsSync(join(folder, 'node_modules', RUNTIME, 'package.json'));
}

/**
 * Leaves alone a runtime that is there. Runs no scripts of packages, and removes the libraries of other platforms.
 * @throws ModelsProblem when npm is missing or fails
 */
export async function installRuntime({
  folder,
  environment,
  command = 'npm',
}: RuntimeOptions): Promise<void> {
  if (hasRuntime(folder)) return;
  const partial = `${folder}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  const { name, version, dependencies } = lock.packages[''];
  await writeFile(
    join(partial, 'package.json'),
    JSON.stringify({ name, version, private: true, dependencies }),
  );
  await writeFile(join(partial, 'package-lock.json'), JSON.stringify(lock));
  await run({ folder: partial, environment, command });
  await removeUnused(partial);
  await rm(folder, { recursive: true, force: true });
  installFolder(partial, folder);
}

function run({ folder, environment, command }: Required<RuntimeOptions>): Promise<void> {
  const words = ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  const child = spawn(command, [...words, '--prefix', folder], {
    cwd: folder,
    // Otherwise npm would work on the project around it when it runs inside of one.
    env: { ...environment, npm_config_prefix: undefined, npm_config_local_prefix: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const keep = (piece: Buffer): void => {
    output = (output + String(piece)).slice(-OUTPUT_CHARS_MAX);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return new Promise((resolve, reject) => {
    child.once('error', () =>
      reject(
        new ModelsProblem(
          `${command} is not installed here, which installs the runtime of local models; copy the folder ${RUNTIME_FOLDER} of another machine of this kind into the data folder`,
        ),
      ),
    );
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new ModelsProblem(`the runtime of local models cannot be installed: ${output.trim()}`));
    });
  });
}

/** The package holds libraries of all platforms, 290 MB, of which this machine needs one. */
async function removeUnused(folder: string): Promise<void> {
  const modules = join(folder, 'node_modules');
  for (const name of INSTALL_ONLY) await rm(join(modules, name), { recursive: true, force: true });
  const versions = join(modules, RUNTIME, 'bin');
  for (const version of await readdir(versions)) {
    await keepOnly(join(versions, version), process.platform);
    await keepOnly(join(versions, version, process.platform), process.arch);
  }
}

async function keepOnly(folder: string, name: string): Promise<void> {
  const others = (await readdir(folder).catch(() => [])).filter((each) => each !== name);
  await Promise.all(others.map((other) => rm(join(folder, other), { recursive: true, force: true })));
}
