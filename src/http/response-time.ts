// The time that a response took, in whole milliseconds, under both names that clients look for.

const LATENCY = 'x-pinecone-request-latency-ms';
export const DURATION = 'x-pinecone-response-duration-ms';

/** @param elapsedMs since the head of the request was read */
export function responseTimeHeaders(elapsedMs: number): Readonly<Record<string, string>> {
  const ms = elapsedMs.toFixed(0);
  return { [LATENCY]: ms, [DURATION]: ms };
}
