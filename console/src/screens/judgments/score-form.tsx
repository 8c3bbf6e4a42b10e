// Asks for a score of the searches of one configuration, or of two.
import { useState } from 'preact/hooks';
import { callIndex } from '../../api/call.ts';
import type { Index } from '../../api/types.ts';
import { route, setValues } from '../../router.ts';
import { CopyAs } from '../../ui/code.tsx';
import { ErrorBox } from '../../ui/feedback.tsx';
import { Input } from '../../ui/field.tsx';
import { postSnippets } from '../../ui/snippets.ts';
import { useTask } from '../../ui/task.ts';
import { filterProblem } from '../index/filter.ts';
import { configurationOf, objectProblem, readTyped, type Typed, typedText } from './configuration.ts';
import { pathOf } from './judgment-calls.ts';
import { ScoreFields } from './score-fields.tsx';
import type { JudgmentSet, Score } from './types.ts';

const K_DEFAULT = '10';

interface ScoreFormProps {
  readonly index: Index;
  readonly set: JudgmentSet;
  readonly onScore: (score: Score) => void;
}

export function ScoreForm({ index, set, onScore }: ScoreFormProps) {
  const { values } = route.value;
  const [k, setK] = useState(values.k ?? K_DEFAULT);
  const [first, setFirst] = useState(readTyped(values.a));
  const [second, setSecond] = useState(readTyped(values.b));
  const [isCompared, setCompared] = useState(values.compare === '1');
  const task = useTask();
  const typed = isCompared ? [first, second] : [first];
  const isWrong = typed.some(hasProblem);
  const path = pathOf(set.id, '/score');
  const body = () => ({
    k: Number(k),
    configurations: typed.map((each) => configurationOf(index, each)),
  });
  const run = (event: Event) => {
    event.preventDefault();
    if (isWrong) return;
    // The address of the page has what was scored.
    setValues({ k, a: typedText(first), b: typedText(second), compare: isCompared ? '1' : '' });
    void task.run(async () =>
      onScore((await callIndex<Score>(index.name, 'POST', path, { body: body() })).body),
    );
  };
  return (
    <form onSubmit={run} aria-label="Score">
      <div class="bench-form">
        <Input label="Results that count" type="number" min="1" max="100" value={k} onValue={setK} />
      </div>
      <div class="bench">
        <ScoreFields
          title={isCompared ? 'Configuration A' : 'Configuration'}
          {...{ index, typed: first, onTyped: setFirst }}
        />
        {isCompared && (
          <ScoreFields title="Configuration B" {...{ index, typed: second, onTyped: setSecond }} />
        )}
      </div>
      <div class="page-head">
        <label class="check">
          <input
            type="checkbox"
            checked={isCompared}
            onChange={({ currentTarget: { checked } }) => setCompared(checked)}
          />
          Compare two configurations
        </label>
        {!isWrong && (
          <CopyAs snippets={() => postSnippets(`data/${encodeURIComponent(index.name)}/${path}`, body())} />
        )}
        <button type="submit" class="main" disabled={isWrong || k === '' || task.isRunning}>
          {task.isRunning ? 'Searching' : 'Score'}
        </button>
      </div>
      <ErrorBox problem={task.problem} />
    </form>
  );
}

function hasProblem({ filter, more }: Typed): boolean {
  return filterProblem(filter) !== undefined || objectProblem(more) !== undefined;
}
