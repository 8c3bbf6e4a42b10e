// The engines that are compared inside a process.
import { isInstalled } from '../support/load-peer.ts';
import type { Engine } from './engine.ts';
import { hnswlib } from './hnswlib.ts';
import { lancedb } from './lancedb.ts';
import { pinyon } from './pinyon.ts';
import { usearchBytes, usearchFloats } from './usearch.ts';
import { zvec } from './zvec.ts';

const ENGINES: readonly Engine[] = [pinyon, zvec, usearchFloats, usearchBytes, hnswlib, lancedb];

export const OURS = pinyon.name;

export function engineNamed(name: string): Engine {
  const found = ENGINES.find((engine) => engine.name === name);
  if (found === undefined) throw new Error(`there is no engine ${name}`);
  return found;
}

/** Our own engine and the installed peers, or those of them whose names contain one of `words`. */
export function availableEngines(words: readonly string[] = []): readonly Engine[] {
  const isWanted = ({ name }: Engine) =>
    words.length === 0 || words.some((word) => name.toLowerCase().includes(word.toLowerCase()));
  return ENGINES.filter(({ peer }) => peer === null || isInstalled(peer)).filter(isWanted);
}

/** Peers that cannot run here. */
export function missingEngines(): readonly string[] {
  return ENGINES.filter(({ peer }) => peer !== null && !isInstalled(peer)).map(({ name }) => name);
}
