// Memory a record: what a process holds more once an index is open and has answered some queries.
import { settingText } from '../engines/engine.ts';
import { spreadOf } from '../support/spread.ts';
import { measureEngines } from './engines-measured.ts';
import { markdownTable, NONE, type Outcome, type Row, rounded } from './row.ts';
import type { Bench } from './scenario.ts';
import { isOurs } from './search-contests.ts';

/** Beside a byte a component: links, identity and what is known of the code. */
const BYTES_BESIDE = 160;
const TIMES = 1.15;

export async function memory(bench: Bench): Promise<Outcome> {
  const { built, data, size, missing } = await measureEngines(bench);
  const goal = TIMES * (data.dimension + BYTES_BESIDE);
  const facts = built.map(({ variant, opened }) => ({
    variant,
    held: opened.memory.held / data.records,
    resident: opened.memory.resident / data.records,
    own: opened.ownBytes === null ? null : opened.ownBytes / data.records,
  }));
  const ours = facts.filter(isOurs).sort((a, b) => b.held - a.held)[0];
  const peer = facts.filter((one) => !isOurs(one)).sort((a, b) => a.held - b.held)[0];
  const row: Row = {
    what: `memory per record, ${size}, without pages of files`,
    goal: `<= ${TIMES} x (dimension + ${BYTES_BESIDE}) bytes = ${rounded(goal)}`,
    ours:
      ours === undefined
        ? NONE
        : `${rounded(ours.held)} bytes (${rounded(ours.resident)} with pages of files, ${rounded(ours.own ?? 0)} by its own account)`,
    peer: peer === undefined ? NONE : `${peer.variant.engine.name} ${rounded(peer.held)}`,
    ratio: ours === undefined || peer === undefined ? null : spreadOf([peer.held / ours.held]),
    met: ours !== undefined && ours.held <= goal,
    lost: ours !== undefined && peer !== undefined && peer.held < ours.held,
  };
  const table = markdownTable(
    ['engine', 'build', 'bytes a record', 'with pages of files', 'own account'],
    facts.map(({ variant, held, resident, own }) => [
      variant.engine.name,
      settingText(variant.build) || 'default',
      rounded(held),
      rounded(resident),
      own === null ? NONE : rounded(own),
    ]),
  );
  return { rows: [row], missing, details: `### Memory, ${size}\n\n${table}` };
}
