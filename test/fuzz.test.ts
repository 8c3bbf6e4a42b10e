// Generated requests over three API versions: none is answered by an error of the server. The long form and
// `npm run test:fuzz` send more; PINYON_FUZZ_REQUESTS and PINYON_FUZZ_SEED choose how many, and which.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { FuzzedService } from './fuzz/fuzzed-service.ts';
import { Fuzzer } from './fuzz/fuzzer.ts';
import { effort } from './support/effort.ts';

const REQUESTS = Number(process.env.PINYON_FUZZ_REQUESTS ?? effort({ daily: 600, long: 20_000 }));
const SEED = Number(process.env.PINYON_FUZZ_SEED ?? 18);
/** A busy machine answers a hundred a second. */
const TIMEOUT_MS = 600_000 + 10 * REQUESTS;
/** After so many, what was deleted is made again. */
const ROUND = 500;
/** Everyday runs are over before they tell anything. */
const TOLD_EVERY = 5_000;
const SHOWN = 20;
const LOG_CHARS = 5_000;

/** How far a long run has come, and what it has found since: it may be ended before its end. */
function tell(sent: number, { statuses, findings }: Fuzzer, told: number): void {
  for (const found of findings.slice(told, SHOWN)) process.stderr.write(`${JSON.stringify(found)}\n`);
  if (sent % TOLD_EVERY !== 0) return;
  const errors = [...statuses].filter(([status]) => status >= 500).map((each) => each.join(': '));
  process.stderr.write(
    `${sent} requests, ${findings.length} findings, 5xx: ${errors.join(', ') || 'none'}\n`,
  );
}

describe('generated requests', () => {
  let service: FuzzedService;
  before(async () => {
    service = await FuzzedService.start();
  });
  after(() => service.dispose());

  it('are never answered by an error of the server', { timeout: TIMEOUT_MS }, async (context) => {
    const checkedEvery = REQUESTS > 10_000 ? 10 : 1;
    const fuzzer = new Fuzzer(service.target, { seed: SEED, parallel: 8, checkedEvery });
    try {
      for (let sent = 0; sent < REQUESTS; sent += ROUND) {
        const told = fuzzer.findings.length;
        await fuzzer.run(Math.min(ROUND, REQUESTS - sent));
        await service.repair();
        tell(sent + ROUND, fuzzer, told);
      }
    } catch (error) {
      for (const found of fuzzer.findings.slice(-SHOWN)) context.diagnostic(JSON.stringify(found));
      context.diagnostic(`the server's last words: ${service.log.slice(-LOG_CHARS)}`);
      throw error;
    } finally {
      fuzzer.close();
    }
    const statuses = [...fuzzer.statuses].sort(([a], [b]) => a - b).map((each) => each.join(': '));
    context.diagnostic(`${REQUESTS} requests; answers by status: ${statuses.join(', ')}`);
    const { findings } = fuzzer;
    for (const found of findings.slice(0, SHOWN)) context.diagnostic(JSON.stringify(found));
    assert.equal(findings.length, 0, `${findings.length} findings`);
  });
});
