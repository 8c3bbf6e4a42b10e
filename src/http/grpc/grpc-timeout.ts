// The time that a gRPC client gives its request.
import { fault, invalid } from '../../domain/faults.ts';

/** Milliseconds by the unit's letter. */
const UNITS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};
/** Timers take no more; it is 24 days. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;

/** Milliseconds; null when the client waits for ever. @throws invalid-argument */
export function readTimeout(header: string | readonly string[] | undefined): number | null {
  if (header === undefined) return null;
  const { count, unit = '' } = /^(?<count>\d{1,8})(?<unit>[HMSmun])$/.exec(String(header))?.groups ?? {};
  const unitMs = UNITS[unit];
  if (unitMs === undefined) throw invalid('grpc-timeout must be up to 8 digits and one of H, M, S, m, u, n');
  return Math.min(Number(count) * unitMs, TIMEOUT_MS_MAX);
}

/** What `work` comes to. It goes on when its time is over, but nobody hears of it. @throws deadline-exceeded */
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
