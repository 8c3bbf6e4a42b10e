// One setting of the server: the variable, how its text becomes a value, and what it is about.
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

export function optional<Value>(env: string, kind: SettingKind<Value>, about: string): Setting<Value | null> {
  return { ...kind, env, preset: null, about };
}
