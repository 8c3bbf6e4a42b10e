// Load on a server: lanes that each ask again as soon as they are answered, or at a fixed rate.
import { percentile } from '../../support/figures.ts';
import type { Lane } from './lane.ts';

export interface LoadResult {
  readonly qps: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The first answer to each request that was asked. */
  readonly answers: ReadonlyMap<number, Buffer>;
}

/** Asks the requests in turn, over and over, for some seconds, from one of them on; a tenth of the time before it warms up unmeasured. */
export async function keepAsking(
  lanes: readonly Lane[],
  requests: readonly Buffer[],
  { seconds, first = 0 }: { readonly seconds: number; readonly first?: number },
): Promise<LoadResult> {
  await askUntil(lanes, requests, { first, end: performance.now() + 100 * seconds });
  const started = performance.now();
  const { times, answers } = await askUntil(lanes, requests, { first, end: started + 1000 * seconds });
  const took = (performance.now() - started) / 1000;
  return { qps: times.length / took, p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99), answers };
}

async function askUntil(
  lanes: readonly Lane[],
  requests: readonly Buffer[],
  { first, end }: { readonly first: number; readonly end: number },
) {
  const times: number[] = [];
  const answers = new Map<number, Buffer>();
  let next = first;
  const follow = async (lane: Lane) => {
    while (performance.now() < end) {
      const at = next++ % requests.length;
      const request = requests[at];
      if (request === undefined) return;
      const asked = performance.now();
      const answer = await lane.ask(request);
      times.push(performance.now() - asked);
      if (!answers.has(at)) answers.set(at, answer);
    }
  };
  await Promise.all(lanes.map(follow));
  return { times, answers };
}

/** Sends every request once, shared by the lanes. @returns seconds it took */
export async function sendAll(
  lanes: readonly Lane[],
  requests: Iterable<Buffer>,
  check: (answer: Buffer) => unknown,
): Promise<number> {
  const iterator = requests[Symbol.iterator]();
  const started = performance.now();
  const follow = async (lane: Lane) => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) check(await lane.ask(next.value));
  };
  await Promise.all(lanes.map(follow));
  return (performance.now() - started) / 1000;
}

/** Sends requests over one lane at a fixed rate until `done`. @returns how many were sent and the rate reached */
export async function sendAtRate(
  lane: Lane,
  requests: readonly Buffer[],
  options: { readonly perSecond: number; readonly done: Promise<unknown>; check(answer: Buffer): unknown },
): Promise<number> {
  let isDone = false;
  options.done.finally(() => {
    isDone = true;
  });
  const started = performance.now();
  let sent = 0;
  while (!isDone) {
    const due = started + (1000 * sent) / options.perSecond;
    const early = due - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    const request = requests[sent % requests.length];
    if (request === undefined) break;
    options.check(await lane.ask(request));
    sent++;
  }
  return (1000 * sent) / (performance.now() - started);
}
