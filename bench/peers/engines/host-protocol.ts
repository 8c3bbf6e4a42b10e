// What the benchmark and the process that hosts an engine say to each other.
import type { Metric } from '../../../src/domain/index-model.ts';
import type { ProcessMemory } from '../../support/process-memory.ts';
import type { Setting } from './engine.ts';

export interface HostOptions {
  readonly engine: string;
  readonly folder: string;
  readonly metric: Metric;
  readonly build: Setting;
  readonly rowsPath: string;
  readonly dimension: number;
  readonly queries: readonly Float32Array[];
}

export interface Run {
  readonly k: number;
  readonly search: Setting;
  readonly passing: number | null;
  /** The query to begin with; after the last comes the first. */
  readonly first: number;
  /** Asks the queries again until so much time is over. */
  readonly secondsMin: number;
  /** Stops after this, with fewer queries. */
  readonly secondsMax: number;
}

export type Request =
  | { readonly do: 'build' }
  | { readonly do: 'open' }
  | { readonly do: 'run'; readonly run: Run }
  | { readonly do: 'close' };

export interface BuildCost {
  readonly seconds: number;
  /** Of all threads together. */
  readonly cpuSeconds: number;
}

export interface Opened {
  readonly seconds: number;
  /** More than before the engine was loaded, after some queries. */
  readonly memory: ProcessMemory;
  readonly ownBytes: number | null;
}

export interface RunResult {
  readonly qps: number;
  /** Queries a second of processor time of the whole process: says more than `qps` on a busy machine. */
  readonly cpuQps: number;
  /** Positions found for the queries that were asked, from the first on, each once. */
  readonly answers: readonly (readonly number[])[];
}

export type Reply =
  | { readonly ok: true; readonly value: BuildCost | Opened | RunResult | null }
  | { readonly ok: false; readonly error: string };
