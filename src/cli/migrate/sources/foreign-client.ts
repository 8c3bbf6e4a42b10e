// A client of another database's HTTP interface, which keeps whole numbers that JavaScript cannot hold as texts.
import { ApiClient } from '../../client/api-client.ts';
import { CliProblem } from '../../command.ts';
import type { WireSparse } from '../wire-record.ts';
import type { ForeignRecord, SourceOptions, TargetMetric } from './port.ts';

/** @param headers the credentials */
export function foreignClient(
  { url, signal }: SourceOptions,
  headers: Readonly<Record<string, string>>,
): ApiClient {
  return new ApiClient({ url: url.origin, headers, signal, parse: parseExactly });
}

export function bearer(key: string | null): Readonly<Record<string, string>> {
  return key === null ? {} : { authorization: `Bearer ${key}` };
}

/** JSON whose integers beyond 2^53 become texts, so that ids stay what they were. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, (_, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
      ? exactInteger(value, context?.source)
      : value,
  );
}

function exactInteger(value: number, source: string | undefined): string | number {
  return source !== undefined && /^-?\d+$/.test(source) ? source : value;
}

/** @throws CliProblem for a metric that has no counterpart here */
export function metricOf(names: Readonly<Record<string, TargetMetric>>, name: unknown): TargetMetric {
  const metric = names[String(name).toLowerCase()];
  if (metric !== undefined) return metric;
  throw new CliProblem(
    `The source compares vectors by ${name}; only ${Object.keys(names).join(', ')} can be migrated.`,
  );
}

/**
 * The sparse vector that goes along, and what is left out: of several, no one is the right one.
 * @param vectors those of a record, absent ones included
 */
export function onlySparse(
  vectors: readonly (WireSparse | null)[],
): Pick<ForeignRecord, 'sparse' | 'leftOut'> {
  const present = vectors.filter((each) => each !== null);
  return vectors.length === 1
    ? { sparse: present[0] ?? null }
    : { sparse: null, leftOut: present.map(() => 'sparse' as const) };
}

/**
 * The vector to copy: the one that was asked for, or the only one.
 * @param what the source's word for it
 * @throws CliProblem that lists the names
 */
export function chosenName(names: readonly string[], wanted: string | null, what: string): string {
  const [only, ...others] = names;
  if (wanted !== null && names.includes(wanted)) return wanted;
  if (wanted === null && only !== undefined && others.length === 0) return only;
  if (only === undefined) throw new CliProblem(`The source has no ${what}.`);
  throw new CliProblem(`Choose the ${what} by --vector: ${names.join(', ')}.`);
}
