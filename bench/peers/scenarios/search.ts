// Search in one thread: how many queries a second at recall@10 of 0.985 and 0.995, against the best peer.
import { OURS } from '../engines/index.ts';
import { bestAt, type Point } from '../engines/sweep.ts';
import { measureEngines, pointsTable } from './engines-measured.ts';
import { NONE, type Outcome, type Row, rounded } from './row.ts';
import type { Bench } from './scenario.ts';

export const TARGETS = [
  { recall: 0.985, times: 2 },
  { recall: 0.995, times: 3 },
] as const;

export async function search(bench: Bench): Promise<Outcome> {
  const { points, missing, data } = await measureEngines(bench);
  const size = `${rounded(data.records)} x ${data.dimension} ${data.name}`;
  const rows = TARGETS.map(({ recall, times }): Row => {
    const ours = bestAt(points.filter(isOurs), recall);
    const peer = bestAt(
      points.filter((point) => !isOurs(point)),
      recall,
    );
    const ratio = ours === null || peer === null ? null : ours.qps / peer.qps;
    return {
      what: `search, 1 thread, ${size}, recall >= ${recall}`,
      goal: `>= ${times} x best peer`,
      ours: ours === null ? 'not reached' : pointText(ours),
      peer: peer === null ? NONE : `${peer.variant.engine.name} ${pointText(peer)}`,
      ratio,
      met: ours !== null && (ratio === null || ratio >= times),
      lost: peer !== null && (ratio === null || ratio < 1),
    };
  });
  return { rows, missing, details: `### Search settings, ${size}\n\n${pointsTable(points)}` };
}

export function isOurs({ variant }: Pick<Point, 'variant'>): boolean {
  return variant.engine.name === OURS;
}

function pointText({ qps, recall }: Point): string {
  return `${rounded(qps)}/s @ ${recall.toFixed(4)}`;
}
