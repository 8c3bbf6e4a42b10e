// How the tables of an earlier release are brought up to date, and what is told of it.
import type { Shards } from './shards.ts';

/** What is being done, for the log. */
export type Upgrade =
  | { readonly waitsFor: string }
  | { readonly builds: string; readonly indexId: string; readonly indexesLeft: number };

export interface UpgradeOptions {
  readonly shards: Shards;
  readonly onUpgrade: (upgrade: Upgrade) => void;
}
