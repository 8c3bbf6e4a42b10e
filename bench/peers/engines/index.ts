// The engines that are compared inside a process.
import { isInstalled, versionOf } from '../support/load-peer.ts';
import { hasPythonPackage, isPythonPeer, pythonPackage, pythonVersion } from '../support/python-package.ts';
import type { Engine } from './engine.ts';
import { hnswlib } from './hnswlib.ts';
import { lancedb } from './lancedb.ts';
import { pinyon } from './pinyon.ts';
import { PYTHON_ENGINES } from './python-engines.ts';
import { usearchBytes, usearchFloats } from './usearch.ts';
import { zvec } from './zvec.ts';

const ENGINES: readonly Engine[] = [
  pinyon,
  zvec,
  usearchFloats,
  usearchBytes,
  hnswlib,
  lancedb,
  ...PYTHON_ENGINES,
];

export const OURS = pinyon.name;

export function engineNamed(name: string): Engine {
  const found = ENGINES.find((engine) => engine.name === name);
  if (found === undefined) throw new Error(`there is no engine ${name}`);
  return found;
}

/** Our own engine and the installed peers, or those of them whose names contain one of `words`. */
export function availableEngines(words: readonly string[] = []): readonly Engine[] {
  return wantedEngines(words).filter(({ peer }) => peer === null || isPeerInstalled(peer));
}

/** Peers that were asked for and cannot run here. */
export function missingEngines(words: readonly string[] = []): readonly string[] {
  const missing = wantedEngines(words).filter(({ peer }) => peer !== null && !isPeerInstalled(peer));
  return missing.map(({ name }) => name);
}

/** Installs the wanted engines from PyPI; those that it cannot are missing. */
export async function installEngines(words: readonly string[]): Promise<void> {
  const wanted = wantedEngines(words);
  for (const { peer } of PYTHON_ENGINES.filter((engine) => wanted.includes(engine)))
    await pythonPackage(peer).catch((error: unknown) => process.stderr.write(`SKIPPED ${peer}: ${error}\n`));
}

export function versionOfPeer(peer: string): string {
  return isPythonPeer(peer) ? pythonVersion(peer) : versionOf(peer);
}

function isPeerInstalled(peer: string): boolean {
  return isPythonPeer(peer) ? hasPythonPackage(peer) : isInstalled(peer);
}

function wantedEngines(words: readonly string[]): readonly Engine[] {
  const isWanted = ({ name }: Engine) =>
    words.length === 0 || words.some((word) => name.toLowerCase().includes(word.toLowerCase()));
  return ENGINES.filter(isWanted);
}
