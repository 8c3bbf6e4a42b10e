// Gets the two training texts from Debian's packages, into a folder of their own.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** PINYON_TRAINING_TEXTS names another folder, for example one filled by hand. */
const FOLDER = process.env.PINYON_TRAINING_TEXTS ?? join(tmpdir(), 'pinyon-training-texts');
const PACKAGES = ['wordnet-base', 'dict-jargon'];

export interface Sources {
  /** Folder of WordNet 3.0's data files. */
  readonly wordnet: string;
  /** The Jargon File 4.4.7, compressed. */
  readonly jargon: string;
}

/** Downloads what is not there yet (needs apt-get and dpkg-deb). */
export function fetchSources(): Sources {
  const sources = {
    wordnet: join(FOLDER, 'usr/share/wordnet'),
    jargon: join(FOLDER, 'usr/share/dictd/jargon.dict.dz'),
  };
  if (Object.values(sources).every((path) => existsSync(path))) return sources;
  mkdirSync(FOLDER, { recursive: true });
  run('apt-get', ['download', ...PACKAGES]);
  for (const file of globSync('*.deb', { cwd: FOLDER })) run('dpkg-deb', ['-x', file, '.']);
  return sources;
}

function run(command: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { cwd: FOLDER, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
}
