// Evaluation of an assistant by a question set, in one configuration or in two side by side.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { TestQuestion } from '../../../../../src/domain/assistants/evaluation/test-question.ts';
import { DropZone } from '../../../ui/drop-zone.tsx';
import { ErrorBox } from '../../../ui/feedback.tsx';
import { plural } from '../../../ui/format.ts';
import { PartHead } from '../../../ui/page.tsx';
import { useTask } from '../../../ui/task.ts';
import { configurationOf, EvaluationFields, presetOptions } from './evaluation-fields.tsx';
import { EvaluationResults } from './evaluation-results.tsx';
import { readQuestions } from './read-questions.ts';
import { type Evaluation, runEvaluation } from './run-evaluation.ts';

interface QuestionSet {
  readonly name: string;
  readonly questions: readonly TestQuestion[];
}

export function EvaluationView({ name }: { readonly name: string }) {
  const [set, setSet] = useState<QuestionSet>();
  const [first, setFirst] = useState(presetOptions(name));
  const [second, setSecond] = useState(presetOptions(name));
  const [isCompared, setCompared] = useState(false);
  const [done, setDone] = useState(0);
  const [evaluation, setEvaluation] = useState<Evaluation>();
  const task = useTask();
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);
  const read = (files: readonly File[]) =>
    task.run(async () => {
      const [file] = files;
      if (file !== undefined) setSet({ name: file.name, questions: await readQuestions(file) });
    });
  const run = (event: Event) => {
    event.preventDefault();
    if (set === undefined) return;
    abort.current = new AbortController();
    const { signal } = abort.current;
    setDone(0);
    void task.run(async () => {
      const configurations = (isCompared ? [first, second] : [first]).map(configurationOf);
      const ended = runEvaluation({ ...set, configurations, signal, onProgress: setDone });
      // One that was stopped has no result.
      const result = await ended.catch((error: unknown) =>
        signal.aborted ? undefined : Promise.reject(error),
      );
      if (result !== undefined) setEvaluation(result);
    });
  };
  return (
    <section>
      <PartHead title="Evaluation" />
      <p class="quiet">
        Asks the assistant the questions of a set, and measures what it finds and answers. Each question has
        its true answer and, if you like, the file and page that answer it.
      </p>
      <DropZone
        label="Drop a question set here, or choose one"
        hint="JSON lines, a JSON list or CSV with question, answer, and if known file and page"
        accept=".jsonl,.ndjson,.json,.csv"
        disabled={task.isRunning}
        onFiles={(files) => void read(files)}
      />
      {set !== undefined && (
        <p role="status">
          <bdi>{set.name}</bdi>: {plural(set.questions.length, 'question')}
        </p>
      )}
      <form onSubmit={run}>
        <EvaluationFields title="Configuration" typed={first} onTyped={setFirst} hasAssistant={false} />
        <label class="check">
          <input
            type="checkbox"
            checked={isCompared}
            onChange={({ currentTarget: { checked } }) => setCompared(checked)}
          />{' '}
          Compare with a second configuration
        </label>
        {isCompared && (
          <EvaluationFields title="Second configuration" typed={second} onTyped={setSecond} hasAssistant />
        )}
        <ErrorBox problem={task.problem} />
        <div class="actions">
          {task.isRunning && set !== undefined && (
            <>
              <progress max={set.questions.length} value={done} aria-label="Progress" />
              <button type="button" onClick={() => abort.current?.abort()}>
                Stop
              </button>
            </>
          )}
          <button type="submit" class="main" disabled={set === undefined || task.isRunning}>
            Run the questions
          </button>
        </div>
      </form>
      {evaluation !== undefined && <EvaluationResults name={name} evaluation={evaluation} />}
    </section>
  );
}
