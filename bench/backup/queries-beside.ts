// Queries in a closed loop, alternately alone and beside backups.
import type { Backup, Client } from './client.ts';

export type { Course } from './client.ts';

/** Queries in each turn: enough for the 99th percentile of all turns. */
const TURN_QUERIES = 400;

export interface Beside {
  /** Milliseconds of each query. */
  readonly idle: readonly number[];
  readonly busy: readonly number[];
  readonly backups: readonly Backup[];
}

/** Backups follow one another until the turn ends. */
export async function queriesBeside(client: Client, turns: number): Promise<Beside> {
  const idle: number[] = [];
  const busy: number[] = [];
  const backups: Backup[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    idle.push(...(await queryTimes(client, () => false)));
    let isOver = false;
    let isCopying = true;
    const copying = (async () => {
      while (!isOver) backups.push(await client.backup('bench'));
      isCopying = false;
    })();
    const times = await queryTimes(client, (count) => {
      isOver ||= count >= TURN_QUERIES;
      return isCopying;
    });
    await copying;
    busy.push(...times);
  }
  return { idle, busy, backups };
}

/** Runs at least TURN_QUERIES queries, and more while `goesOn` returns true. */
async function queryTimes(client: Client, goesOn: (count: number) => boolean): Promise<readonly number[]> {
  const times: number[] = [];
  while (goesOn(times.length) || times.length < TURN_QUERIES) {
    const { ms } = await client.timed(() => client.query('bench', times.length));
    times.push(ms);
  }
  return times;
}
