// Deadlines of gRPC requests.
import { fault, invalid } from '../../domain/faults.ts';

/** Milliseconds per unit. */
const UNITS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};
/** The longest delay of a timer, about 24 days. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;

/** In milliseconds; null without a deadline. @throws invalid-argument */
export function readTimeout(header: string | readonly string[] | undefined): number | null {
  if (header === undefined) return null;
  const { count, unit = '' } = /^(?<count>\d{1,8})(?<unit>[HMSmun])$/.exec(String(header))?.groups ?? {};
  const unitMs = UNITS[unit];
  if (unitMs === undefined) throw invalid('grpc-timeout must be up to 8 digits and one of H, M, S, m, u, n');
  return Math.min(Number(count) * unitMs, TIMEOUT_MS_MAX);
}

/** Resolves as `work` does. After the deadline `work` goes on, but its result is discarded. @throws deadline-exceeded */
export async function withinTime<Result>(timeoutMs: number | null, work: Promise<Result>): Promise<Result> {
  if (timeoutMs === null) return work;
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(fault('deadline-exceeded')), timeoutMs);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
