// Loads a page as on a first visit, with nothing cached, and tells what it cost: requests, bytes, and round trips.
import type { CDPSession, Page } from 'playwright-core';

export interface FirstLoad {
  /** Bytes that came over the network, headers included. */
  readonly bytes: number;
  readonly requests: number;
  /** The longest chain of requests of which each began after the one before had ended. */
  readonly roundTrips: number;
  /** Milliseconds from the start of the navigation until `selector` was in the page, and painted. */
  readonly usable: number;
}

export interface Throttle {
  /** Milliseconds from a request to the first byte of its answer. */
  readonly latency: number;
  readonly bytesPerSecond: { readonly down: number; readonly up: number };
  /** Times slower. */
  readonly processor: number;
}

const UNTHROTTLED: Throttle = { latency: 0, bytesPerSecond: { down: -1, up: -1 }, processor: 1 };

const SECOND_MS = 1_000;

/** In seconds. */
interface Transfer {
  readonly began: number;
  ended: number;
  bytes: number;
}

declare global {
  interface Window {
    usableAt?: number;
  }
}

/**
 * Opens `url` with an empty cache, and waits until something matches `selector`, which tells that the page is usable.
 * Requests that begin later count for nothing.
 */
export async function firstLoad(
  page: Page,
  {
    url,
    selector,
    throttle,
  }: { readonly url: string; readonly selector: string; readonly throttle?: Throttle },
): Promise<FirstLoad> {
  await page.goto('about:blank');
  await page.addInitScript(noteWhenUsable, selector);
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.clearBrowserCache');
  if (throttle !== undefined) await slowDown(session, throttle);
  const transfers = watch(session);
  await page.goto(url);
  const usable = await page.waitForFunction(() => window.usableAt).then((at) => at.jsonValue());
  const all = [...transfers.values()];
  const start = Math.min(...all.map(({ began }) => began));
  const end = start + (usable ?? Number.POSITIVE_INFINITY) / SECOND_MS;
  const done = all.filter(({ began, ended }) => began <= end && ended !== Number.POSITIVE_INFINITY);
  if (throttle !== undefined) await slowDown(session, UNTHROTTLED);
  await session.detach();
  return {
    bytes: done.reduce((sum, { bytes }) => sum + bytes, 0),
    requests: done.length,
    roundTrips: longestChain(done),
    usable: usable ?? Number.NaN,
  };
}

/** Runs in the page. */
function noteWhenUsable(selector: string): void {
  const look = () => {
    if (window.usableAt !== undefined || document.querySelector(selector) === null) return;
    // Two frames later it is painted, and whatever ran meanwhile has ended.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        window.usableAt ??= performance.now();
      }),
    );
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
}

async function slowDown(session: CDPSession, throttle: Throttle): Promise<void> {
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: throttle.latency,
    downloadThroughput: throttle.bytesPerSecond.down,
    uploadThroughput: throttle.bytesPerSecond.up,
  });
  await session.send('Emulation.setCPUThrottlingRate', { rate: throttle.processor });
}

function watch(session: CDPSession): ReadonlyMap<string, Transfer> {
  const transfers = new Map<string, Transfer>();
  session.on('Network.requestWillBeSent', ({ requestId, timestamp, request }) => {
    if (request.url.startsWith('http'))
      transfers.set(requestId, { began: timestamp, ended: Number.POSITIVE_INFINITY, bytes: 0 });
  });
  session.on('Network.loadingFinished', ({ requestId, timestamp, encodedDataLength }) => {
    const transfer = transfers.get(requestId);
    if (transfer === undefined) return;
    transfer.ended = timestamp;
    transfer.bytes = encodedDataLength;
  });
  return transfers;
}

function longestChain(transfers: readonly Transfer[]): number {
  let longest = 0;
  let ended = Number.NEGATIVE_INFINITY;
  // Of all that may come next, the one that ends first leaves the most room.
  for (const each of [...transfers].sort((a, b) => a.ended - b.ended)) {
    if (each.began < ended) continue;
    ended = each.ended;
    longest += 1;
  }
  return longest;
}
