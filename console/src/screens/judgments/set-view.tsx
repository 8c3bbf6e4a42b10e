// One judgment set: its scores by one configuration or by two, and its questions.
import { useState } from 'preact/hooks';
import { callIndex, requestIndex } from '../../api/call.ts';
import { may } from '../../api/session.ts';
import type { Index } from '../../api/types.ts';
import { hrefOf } from '../../router.ts';
import { DropZone } from '../../ui/drop-zone.tsx';
import { Empty, ErrorBox, Shown } from '../../ui/feedback.tsx';
import { plural } from '../../ui/format.ts';
import { PartHead } from '../../ui/page.tsx';
import { saveText } from '../../ui/save-file.ts';
import { useTask } from '../../ui/task.ts';
import { pathOf, questionsIn, useSet } from './judgment-calls.ts';
import { KeptScores } from './kept-scores.tsx';
import { Questions } from './questions.tsx';
import { ScoreForm } from './score-form.tsx';
import { ScoreResults } from './score-results.tsx';
import type { JudgmentSet, Score } from './types.ts';

export function SetView({ index, id }: { readonly index: Index; readonly id: string }) {
  const set = useSet(index.name, id);
  return (
    <>
      <p>
        <a href={hrefOf(['indexes', index.name], { tab: 'judgments' })}>All judgment sets</a>
      </p>
      <Shown of={set}>{(value) => <Opened index={index} set={value} reload={set.reload} />}</Shown>
    </>
  );
}

interface OpenedProps {
  readonly index: Index;
  readonly set: JudgmentSet;
  readonly reload: () => void;
}

function Opened({ index, set, reload }: OpenedProps) {
  const [score, setScore] = useState<Score>();
  const task = useTask();
  const { name, namespace, questions } = set;
  const path = pathOf(set.id, '/questions');
  const mayJudge = may('data_plane::vectors::write');
  const save = () =>
    void task.run(async () => {
      const answer = await requestIndex(index.name, path);
      saveText(`${name}.jsonl`, await answer.text());
    });
  const replace = (files: readonly File[]) =>
    task.run(async () => {
      const [file] = files;
      if (file === undefined) return;
      await callIndex(index.name, 'PUT', path, { body: { questions: await questionsIn(file) } });
      setScore(undefined);
      reload();
    });
  const done = (result: Score) => {
    setScore(result);
    reload();
  };
  return (
    <>
      <PartHead title={<bdi>{name}</bdi>}>
        <a class="button" href={hrefOf(['search'], { index: index.name, ns: namespace, set: set.id })}>
          Judge results
        </a>
        <button type="button" disabled={questions.length === 0 || task.isRunning} onClick={save}>
          Save the questions
        </button>
      </PartHead>
      <p class="quiet">
        {plural(questions.length, 'question')} to the namespace <bdi>{namespace}</bdi>
      </p>
      <ErrorBox problem={task.problem} />
      {questions.length === 0 ? (
        <Empty title="No questions yet.">Judge results of searches, or bring a file of questions.</Empty>
      ) : (
        <ScoreForm index={index} set={set} onScore={done} />
      )}
      {score !== undefined && <ScoreResults index={index} set={set} score={score} />}
      <KeptScores scores={set.scores} />
      <Questions index={index} set={set} />
      {mayJudge && (
        <DropZone
          label="Drop a file here to replace all questions, or choose one"
          hint="JSON lines or a JSON list, as a set is saved"
          accept=".jsonl,.ndjson,.json"
          disabled={task.isRunning}
          onFiles={(files) => void replace(files)}
        />
      )}
    </>
  );
}
