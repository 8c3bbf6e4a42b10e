// Files of a data directory are damaged at random: no wrong answer, no dead process, no other index affected.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { effort } from './support/effort.ts';
import { DAMAGES, type Damage, damageFile } from './support/faults/damage.ts';
import { buildFixture, type FaultFixture } from './support/faults/fault-fixture.ts';
import { judge, type Verdict } from './support/faults/judge.ts';
import { Random } from './support/random.ts';
import { newService } from './support/service.ts';

const SEED = Number(process.env.PINYON_FAULT_SEED ?? 181);
const CASES = Number(process.env.PINYON_FAULT_CASES ?? effort({ daily: 8, long: 1_000 }));
/** The first case to run: what came before is left out. */
const FIRST = Number(process.env.PINYON_FAULT_FIRST ?? 0);
/** A case takes two seconds, many more beside other work. */
const CASE_MS_MAX = 120_000;
const AT_ONCE = 2;
const IS_TOLD = effort({ daily: false, long: true });
/** Only files of the kinds that contain this. */
const KIND = process.env.PINYON_FAULT_KIND ?? '';

interface Case {
  readonly number: number;
  readonly file: string;
  readonly damage: Damage;
}

interface Judged {
  readonly at: Case;
  readonly verdict: Verdict;
}

describe('damaged files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-faults-'));
  let fixture: FaultFixture;
  before(async () => {
    const service = await newService();
    try {
      fixture = await buildFixture(service, folder);
    } finally {
      await service.dispose();
    }
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('never make an answer wrong, end the process, or affect other indexes', {
    timeout: CASES * CASE_MS_MAX,
  }, async (context) => {
    const waiting = casesOf(fixture).slice(FIRST);
    const verdicts: Judged[] = [];
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) verdicts.push(await told(at));
      }),
    );
    for (const line of tableOf(verdicts)) context.diagnostic(line);
    const failures = verdicts.filter(({ verdict }) => verdict.failure !== null);
    const texts = failures.map(textOf);
    const { PINYON_FAULT_REPORT } = process.env;
    if (PINYON_FAULT_REPORT !== undefined) writeFileSync(PINYON_FAULT_REPORT, texts.join('\n'));
    assert.deepEqual(texts, []);
  });

  /** Runs the case, and says at once what came of it: a long run may be ended before its end. */
  async function told(at: Case): Promise<Judged> {
    const began = performance.now();
    const judged = { at, verdict: await run(at) };
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    if (IS_TOLD || judged.verdict.failure !== null)
      process.stderr.write(`${textOf(judged)} (${seconds} s, seed ${SEED})\n`);
    return judged;
  }

  /** Every kind of file with every kind of damage in turn. */
  function casesOf({ files }: FaultFixture): Case[] {
    const kinds = Map.groupBy(files, kindOf);
    const pairs = [...kinds.keys()]
      .filter((kind) => kind.includes(KIND))
      .sort()
      .flatMap((kind) => DAMAGES.map((damage) => ({ kind, damage })));
    const random = new Random(SEED);
    const shuffled = pairs.map((pair) => ({ pair, key: random.next() })).sort((a, b) => a.key - b.key);
    return Array.from({ length: CASES }, (_, number) => {
      const { pair } = shuffled[number % shuffled.length] ?? {};
      if (pair === undefined) throw new Error('there are no files');
      return { number, damage: pair.damage, file: random.pick(kinds.get(pair.kind) ?? []) };
    });
  }

  async function run({ number, file, damage }: Case): Promise<Verdict> {
    const random = new Random(SEED * 1_000_003 + number);
    const service = await newService();
    try {
      cpSync(fixture.current, service.dataDir, { recursive: true });
      const same = fixture.files.filter((each) => each !== file && kindOf(each) === kindOf(file));
      const other = same.length === 0 ? undefined : join(fixture.current, random.pick(same));
      const target = { path: join(service.dataDir, file), older: join(fixture.older, file), foreign: other };
      if (!damageFile(target, damage, random)) return { outcome: 'unchanged', failure: null };
      return await judge(service, fixture, file);
    } finally {
      await service.dispose();
    }
  }
});

function kindOf(file: string): string {
  const [top = ''] = file.split('/');
  if (top === 'indexes') return file.endsWith('.segment') ? 'segment' : basename(file);
  if (top === 'commits') return top;
  if (top === 'blobs') return file.split('/').slice(0, 2).join('/');
  return file;
}

function textOf({ at, verdict }: Judged): string {
  return `case ${at.number}, ${at.damage} of ${at.file}: ${verdict.failure ?? verdict.outcome}`;
}

/** How often each damage of each kind of file had which outcome, with sums of each outcome last. */
function tableOf(judged: readonly Judged[]): readonly string[] {
  const rows = Map.groupBy(judged, ({ at }) => `${kindOf(at.file)}, ${at.damage}`);
  return [...rows]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .concat([['all', [...judged]]])
    .map(([name, each]) => `${name}: ${countsOf(each)}`);
}

function countsOf(judged: readonly Judged[]): string {
  const counts = Map.groupBy(judged, ({ verdict }) => verdict.outcome);
  return [...counts]
    .sort()
    .map(([outcome, each]) => `${outcome} ${each.length}`)
    .join(', ');
}
