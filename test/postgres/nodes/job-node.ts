// A node of the tests that runs jobs: each takes a while, and writes down when it ran and where.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openSharedCatalog } from '../../../src/catalog/postgres/open-shared-catalog.ts';
import { JobRunner } from '../../../src/jobs/job-runner.ts';

const RUN_MS = 400;
const [url = '', leaseMs = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 2 });
const { catalog, changes } = await openSharedCatalog({ url, connectionsMax: 3, onFailure: () => undefined });
const runner = new JobRunner({
  store: catalog.jobs,
  parallelMax: 2,
  isAlone: false,
  leaseMs: Number(leaseMs),
  onFailure: (error) => process.stderr.write(`${error}\n`),
});
await runner.start([
  {
    kind: 'work',
    attemptsMax: 100,
    run: async ({ job, signal }) => {
      const values = [job.id, process.pid];
      await pool.query('insert into runs (job, pid, begun) values ($1, $2, clock_timestamp())', values);
      await sleep(RUN_MS, undefined, { signal });
      await pool.query(
        'update runs set ended = clock_timestamp() where job = $1 and pid = $2 and ended is null',
        values,
      );
    },
  },
]);
changes.listen('jobs', () => Promise.resolve(runner.wake()));
await changes.start();
process.stdout.write('ready\n');
