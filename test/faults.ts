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
/** A case takes two seconds, many more beside other work. */
const CASE_MS_MAX = 120_000;
const AT_ONCE = 2;
/** Only files of the kinds that contain this. */
const KIND = process.env.PINYON_FAULT_KIND ?? '';

interface Case {
  readonly number: number;
  readonly file: string;
  readonly damage: Damage;
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
    const waiting = casesOf(fixture);
    const verdicts: { readonly at: Case; readonly verdict: Verdict }[] = [];
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let at = waiting.shift(); at !== undefined; at = waiting.shift())
          verdicts.push({ at, verdict: await run(at) });
      }),
    );
    for (const line of tableOf(verdicts)) context.diagnostic(line);
    const failures = verdicts.filter(({ verdict }) => verdict.failure !== null);
    const told = failures.map(
      ({ at, verdict }) => `case ${at.number}, ${at.damage} of ${at.file}: ${verdict.failure}`,
    );
    const { PINYON_FAULT_REPORT } = process.env;
    if (PINYON_FAULT_REPORT !== undefined) writeFileSync(PINYON_FAULT_REPORT, told.join('\n'));
    assert.deepEqual(told, []);
  });

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
  if (top === 'blobs') return file.split('/').slice(0, 2).join('/');
  return file;
}

function tableOf(verdicts: readonly { readonly at: Case; readonly verdict: Verdict }[]): readonly string[] {
  const counts = new Map<string, Map<string, number>>();
  for (const { at, verdict } of verdicts) {
    const row = counts.get(kindOf(at.file)) ?? new Map<string, number>();
    row.set(verdict.outcome, (row.get(verdict.outcome) ?? 0) + 1);
    counts.set(kindOf(at.file), row);
  }
  return [...counts].sort().map(([kind, row]) => {
    const cells = [...row].sort().map(([outcome, count]) => `${outcome} ${count}`);
    return `${kind}: ${cells.join(', ')}`;
  });
}
