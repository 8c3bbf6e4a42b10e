// Asks /health again and again from a thread of its own, so that the load's own work does not count as latency.
import { Agent } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { call } from '../support/service.ts';

const PAUSE_MS = 5;

const { url, milliseconds } = workerData as { url: string; milliseconds: number };
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const times: number[] = [];
for (const end = performance.now() + milliseconds; performance.now() < end; ) {
  const started = performance.now();
  await call(agent, url);
  times.push(performance.now() - started);
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
agent.destroy();
parentPort?.postMessage(times);
