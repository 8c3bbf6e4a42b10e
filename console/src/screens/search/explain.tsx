// What a search did: its stages as a bar of time, and what it counted.
import { count, milliseconds } from '../../ui/format.ts';
import type { Explanation } from './search-answer.ts';

const STAGES = ['wait', 'filter', 'search', 'rescore', 'fetch'];
const HIDDEN: ReadonlySet<string> = new Set(['structure', 'milliseconds', 'tail']);

export function Explain({ explanation }: { readonly explanation: Explanation }) {
  const { structure, milliseconds: times } = explanation;
  const total = Math.max(times.total ?? 0, 0.001);
  const counters = Object.entries(explanation).filter(
    ([name, value]) => !HIDDEN.has(name) && typeof value === 'number',
  );
  return (
    <details class="explain">
      <summary>
        {structure}, {milliseconds(times.total)} in the engine
      </summary>
      <div class="time-bar" role="img" aria-label="Stages of the search by time">
        {STAGES.map((stage) => (
          <span
            key={stage}
            class={`stage-${stage}`}
            title={`${stage}: ${milliseconds(times[stage])}`}
            style={{ width: `${(100 * (times[stage] ?? 0)) / total}%` }}
          />
        ))}
      </div>
      <div class="stages">
        {STAGES.map((stage) => (
          <span key={stage}>
            <i class={`stage-${stage}`} />
            {stage} {milliseconds(times[stage])}
          </span>
        ))}
      </div>
      <div class="stages">
        {counters.map(([name, value]) => (
          <span key={name}>
            {name.replaceAll('_', ' ')} {count(Number(value))}
          </span>
        ))}
      </div>
    </details>
  );
}
