// Debian packages whose documentation makes the corpora, unpacked into the benchmark's cache.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cachePath } from '../../peers/support/cache.ts';

/** Manuals of languages, libraries and a database; a dictionary, a thesaurus. They change only with Debian's releases. */
const PACKAGES = [
  'rust-doc',
  'openjdk-17-doc',
  'erlang-doc',
  'ghc-doc',
  'libboost1.74-doc',
  'wx3.2-doc',
  'cppreference-doc-en-html',
  'vtk9-doc',
  'postgresql-doc-15',
  'libstdc++-12-doc',
  'linux-doc-6.1',
  'sagemath-doc',
  'python-scipy-doc',
  'python-astropy-doc',
  'libbiojava5-java-doc',
  'libcommons-math3-java-doc',
  'wordnet-base',
  'dict-gcide',
];

/** The folder with the contents of all packages, which are downloaded the first time. */
export function unpackedPackages(): string {
  const folder = cachePath('text', 'packages');
  if (existsSync(folder)) return folder;
  const part = `${folder}.part`;
  const downloads = mkdtempSync(join(tmpdir(), 'pinyon-packages-'));
  try {
    rmSync(part, { recursive: true, force: true });
    mkdirSync(part);
    run('apt-get', ['download', ...PACKAGES], downloads);
    for (const file of globSync('*.deb', { cwd: downloads })) run('dpkg-deb', ['-x', file, part], downloads);
    renameSync(part, folder);
  } finally {
    rmSync(downloads, { recursive: true });
  }
  return folder;
}

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args[0]}: ${stderr}`);
}
