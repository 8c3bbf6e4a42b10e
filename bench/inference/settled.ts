// Waits for the graphs of a service that was just filled: until then searches scan, and share the machine with the builders.
import type { Agent } from 'node:http';
import { call, type Service } from '../support/service.ts';

const SETTLING_MS_MAX = 240_000;
const PAUSE_MS = 500;
/** Share of slots that may still be unindexed. */
const UNINDEXED_SHARE_MAX = 0.01;

export interface Filled {
  /** Of the namespace that is waited for, which may not be loaded yet. */
  readonly records: number;
  /** A namespace is loaded by its first search, and nothing is built for it before. */
  readonly firstSearch: () => Promise<void>;
  /** The longest wait; default four minutes. */
  readonly millisecondsMax?: number;
}

/** @throws Error when graphs are not whole in time: figures of a half-built one mean nothing */
export async function settled(
  agent: Agent,
  { base }: Service,
  { records, firstSearch, millisecondsMax = SETTLING_MS_MAX }: Filled,
): Promise<void> {
  await firstSearch();
  for (const end = performance.now() + millisecondsMax; performance.now() < end; ) {
    const { text } = await call(agent, `${base}/metrics`);
    const slots = sumOf(text, 'slots');
    const isWhole = sumOf(text, 'unindexed_slots') <= UNINDEXED_SHARE_MAX * slots;
    if (slots >= records && isWhole && sumOf(text, 'build_slots') === 0) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(`the graphs were not whole after ${millisecondsMax / 1_000} s`);
}

/** Over all indexes. */
function sumOf(metrics: string, name: string): number {
  const lines = metrics.matchAll(new RegExp(`^pinyon_${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'));
  return [...lines].reduce((sum, [, value]) => sum + Number(value), 0);
}
