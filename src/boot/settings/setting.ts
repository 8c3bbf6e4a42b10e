// One setting of the server: the variable, how its text becomes a value, and what it is about.
import { availableParallelism } from 'node:os';
import type { SettingKind } from '../setting-kinds.ts';

/** Threads beyond this number would only cost memory. */
export const THREADS_MAX = 256;
export const HOUR_SECONDS = 3_600;

export interface Setting<Value> extends SettingKind<Value> {
  readonly env: string;
  /** The default text when the variable is unset or empty; null if there is none. */
  readonly preset: string | null;
  /** What the reference page shows instead when the default depends on the machine. */
  readonly presetShown?: string;
  readonly about: string;
}

type SettingOptions = Pick<Setting<unknown>, 'about' | 'presetShown'> & { readonly preset: string };

export function setting<Value>(
  env: string,
  kind: SettingKind<Value>,
  options: SettingOptions,
): Setting<Value> {
  return { ...kind, env, ...options };
}

/**
 * A thread for each core, or for that share of them: at least one, and no more than a setting of threads may be.
 * @param share 0 to 1
 */
export function threadsPreset(share = 1, cores: number = availableParallelism()): string {
  return String(Math.min(THREADS_MAX, Math.max(1, Math.floor(share * cores))));
}

export function optional<Value>(env: string, kind: SettingKind<Value>, about: string): Setting<Value | null> {
  return { ...kind, env, preset: null, about };
}
