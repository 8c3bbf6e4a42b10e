// Compares with other engines and prints the table. Run: npm ci --prefix bench/peers && npm run bench:peers -- --help
import '../../src/boot/runtime-flags.ts';
import { parseArgs } from 'node:util';
import { machine } from '../support/figures.ts';
import { DATA_NAMES } from './data/data-sets.ts';
import { installEngines } from './engines/index.ts';
import { PLANS, type Plan } from './plan.ts';
import { peersText, report, writeReport } from './report.ts';
import { build } from './scenarios/build.ts';
import { filtered } from './scenarios/filtered.ts';
import { httpSearch } from './scenarios/http-search.ts';
import { memory } from './scenarios/memory.ts';
import { mixed } from './scenarios/mixed.ts';
import { namespaces } from './scenarios/namespaces.ts';
import type { Outcome } from './scenarios/row.ts';
import { type Bench, type Scenario, whole } from './scenarios/scenario.ts';
import { search } from './scenarios/search.ts';
import { sparse } from './scenarios/sparse.ts';
import { start } from './scenarios/start.ts';
import { upsert } from './scenarios/upsert.ts';
import { cachePath } from './support/cache.ts';
import { Cells } from './support/cells.ts';
import { progress, stage } from './support/progress.ts';

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  search,
  build,
  memory,
  filtered,
  'http-search': httpSearch,
  upsert: whole('upsert', upsert),
  mixed: whole('mixed', mixed),
  sparse: whole('sparse', sparse),
  namespaces: whole('namespaces', namespaces),
  start,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    plan: { type: 'string', default: 'full' },
    data: { type: 'string' },
    records: { type: 'string' },
    engines: { type: 'string' },
    builds: { type: 'string' },
    reuse: { type: 'boolean', default: false },
    'reuse-ours': { type: 'boolean', default: false },
    resume: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  process.stdout.write(`Scenarios (all by default): ${Object.keys(SCENARIOS).join(' ')}

  --plan=full|short|tiny   how much is measured: an hour and a half, minutes where peers' indexes are kept, next to nothing
  --plan=real              real embeddings beside the best engines of npm and PyPI (search, build, memory)
  --data=${DATA_NAMES.join(',')}   the vectors: one kind (hard by default), or several, one after the other
  --records=N              records of the comparison inside a process
  --engines=a,b            only engines whose names contain one of these, and no others
  --builds=N               only the first N build settings of each engine
  --reuse                  peers' indexes of earlier runs, instead of building them again
  --reuse-ours             our own as well: only where the code that makes them is the same
  --resume                 goes on with a run of the same plan that ended early; what it has measured is not measured again
  --write                  puts the report into docs/benchmarks.md

Python 3.9 or newer is needed for the servers. Everything slow to make is kept in BENCH_CACHE
(default: pinyon-bench-peers in the system's folder for temporary files; up to 40 GB). What is measured goes to
results-*.json there at once.
`);
  process.exit(0);
}
const unknown = positionals.filter((name) => !(name in SCENARIOS));
if (unknown.length > 0)
  throw new Error(`no such scenario: ${unknown}; there are ${Object.keys(SCENARIOS).join(', ')}`);
const outcomes: Outcome[] = [];
const failed: string[] = [];
const kinds = values.data?.split(',').map(dataName) ?? chosenPlan().sets;
await installEngines(chosenPlan().engines);
const plans = kinds.length > 0 ? kinds.map((data) => ({ ...chosenPlan(), data })) : [chosenPlan()];
for (const plan of plans) await measure(benchOf(plan));
const text = report(outcomes, { plan: chosenPlan(), failed });
process.stdout.write(`${text}\n`);
if (values.write) writeReport(text);
process.exit(failed.length === 0 ? 0 : 1);

function benchOf(plan: Plan): Bench {
  const facts = { plan, machine: machine(), peers: peersText(plan) };
  const path = cachePath(`results-${plan.name}-${plan.data}.json`);
  const cells = Cells.open(path, { facts, resume: values.resume });
  if (cells.size > 0) progress(`${cells.size} figures of an earlier run are kept`);
  return { plan, cells };
}

async function measure(bench: Bench): Promise<void> {
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    const what = `${name}, ${bench.plan.data}`;
    try {
      outcomes.push(await stage(`scenario ${what}`, () => scenario(bench)));
    } catch (error) {
      process.stderr.write(`${what} failed: ${error instanceof Error ? error.stack : error}\n`);
      failed.push(`${what}: ${error instanceof Error ? error.message : error}`);
    }
  }
}

function chosenPlan(): Plan {
  const found = PLANS.find(({ name }) => name === values.plan);
  if (found === undefined) throw new Error(`no such plan: ${values.plan}`);
  return {
    ...found,
    ...(values.records !== undefined && { records: Number(values.records) }),
    ...(values.builds !== undefined && { builds: Number(values.builds) }),
    ...(values.reuse && { reuse: true }),
    ...(values['reuse-ours'] && { reuseOurs: true }),
    engines: values.engines?.split(',') ?? found.engines,
  };
}

function dataName(name: string): Plan['data'] {
  const found = DATA_NAMES.find((one) => one === name);
  if (found === undefined) throw new Error(`no such data: ${name}; there are ${DATA_NAMES.join(', ')}`);
  return found;
}
