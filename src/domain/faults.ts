// The error catalog: every condition that the API can report, with its status, code and message.
import { ADMINISTRATION_FAULTS } from './faults/administration.ts';
import { ALIAS_FAULTS } from './faults/aliases.ts';
import { ANY_SURFACE_FAULTS } from './faults/any-surface.ts';
import { ASSISTANT_FAULTS } from './faults/assistants.ts';
import { CONTROL_FAULTS } from './faults/control.ts';
import { DATA_FAULTS } from './faults/data.ts';
import type { FaultEntry, StandardCode } from './faults/entry.ts';
import { INFERENCE_FAULTS } from './faults/inference.ts';
import { JUDGMENT_FAULTS } from './faults/judgments.ts';

export { RPC_CODES, type StandardCode } from './faults/entry.ts';

/** One entry per condition. The messages match what SDK tests look for. */
export const FAULTS = {
  ...ANY_SURFACE_FAULTS,
  ...CONTROL_FAULTS,
  ...INFERENCE_FAULTS,
  ...ASSISTANT_FAULTS,
  ...ADMINISTRATION_FAULTS,
  ...DATA_FAULTS,
  ...ALIAS_FAULTS,
  ...JUDGMENT_FAULTS,
} as const satisfies Record<string, FaultEntry>;

export type FaultName = keyof typeof FAULTS;

type PlacesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlacesIn<Rest>
  : never;

/** The details that a condition's message needs, derived from its `{placeholders}`. */
export type FaultDetails<Name extends FaultName> = {
  readonly [Place in PlacesIn<(typeof FAULTS)[Name]['message']>]: string | number;
};

export interface FaultOptions {
  readonly retryAfterSeconds?: number | undefined;
  readonly metadata?: Readonly<Record<string, string>>;
  /** What another server answered, where that is behind the fault. */
  readonly cause?: unknown;
}

/** An error that is reported to the caller. Anything else that is thrown becomes a plain 500. */
export class Fault extends Error {
  readonly condition: FaultName;
  readonly status: number;
  readonly code: StandardCode;
  /** Seconds for the retry-after header. */
  readonly retryAfterSeconds: number | undefined;
  /** What clients compare instead of the message; undefined for most conditions. */
  readonly reason: string | undefined;
  /** Values that belong to the reason. */
  readonly metadata: Readonly<Record<string, string>>;

  constructor(
    condition: FaultName,
    message: string,
    { retryAfterSeconds, metadata = {}, cause }: FaultOptions = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'Fault';
    this.condition = condition;
    const { status, code, reason }: FaultEntry = FAULTS[condition];
    this.status = status;
    this.code = code;
    this.reason = reason;
    this.retryAfterSeconds = retryAfterSeconds;
    this.metadata = metadata;
  }
}

/**
 * Builds the fault of a condition; the details fill the placeholders of its message.
 * @example throw fault('index-not-found', { name })
 */
export function fault<Name extends FaultName>(
  condition: Name,
  ...[fields]: keyof FaultDetails<Name> extends never ? [] : [FaultDetails<Name>]
): Fault {
  const values: Readonly<Record<string, string | number>> = fields ?? {};
  const message = FAULTS[condition].message.replaceAll(/\{(\w+)\}/g, (_, place: string) =>
    String(values[place]),
  );
  return new Fault(condition, message);
}

/** Shorthand for the most common condition. */
export function invalid(reason: string): Fault {
  return fault('invalid-argument', { reason });
}
