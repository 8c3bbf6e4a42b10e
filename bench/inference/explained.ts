// What searches did and where their time went, as the service explains it: medians over some of them.
import type { Agent } from 'node:http';
import { percentile } from '../support/figures.ts';
import { call } from '../support/service.ts';

const EXPLAINED = 50;

interface Explanation {
  readonly structure: string;
  readonly nodes_visited: number;
  readonly distances: number;
  readonly rows_scored: number;
  readonly milliseconds: Readonly<Record<string, number>>;
}

export async function explained(agent: Agent, url: string, body: () => object): Promise<string> {
  const all: Explanation[] = [];
  for (let i = 0; i < EXPLAINED; i++) {
    const { status, text } = await call(agent, url, Buffer.from(JSON.stringify(body())), {
      'x-pinyon-explain': 'true',
    });
    if (status !== 200) throw new Error(`a search answered ${status}: ${text}`);
    all.push((JSON.parse(text) as { readonly explain: Explanation }).explain);
  }
  const median = (of: (explanation: Explanation) => number) => percentile(all.map(of), 0.5);
  const stages = Object.keys(all[0]?.milliseconds ?? {}).map(
    (stage) => `${stage} ${median(({ milliseconds }) => milliseconds[stage] ?? 0).toFixed(2)}`,
  );
  return [
    [...new Set(all.map(({ structure }) => structure))].join(' or '),
    `${median((each) => each.nodes_visited)} nodes`,
    `${median((each) => each.distances)} distances`,
    `${median((each) => each.rows_scored)} rows scored`,
    `ms: ${stages.join(', ')}`,
  ].join('; ');
}
