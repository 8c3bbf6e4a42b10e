// Judgments of the results of one search, kept in the set that the person has chosen.
import { useState } from 'preact/hooks';
import { callIndex } from '../../api/call.ts';
import type { Problem } from '../../api/problem.ts';
import { may } from '../../api/session.ts';
import { useTask } from '../../ui/task.ts';
import { pathOf, sameQuestion, useSet } from './judgment-calls.ts';
import type { JudgmentSet, Question } from './types.ts';

export interface Judging {
  /** By the ids of records. */
  readonly grades: ReadonlyMap<string, number>;
  readonly isBusy: boolean;
  readonly problem: Problem | undefined;
  /** Undefined for those who only read. */
  readonly judge: ((id: string, grade: number | null) => void) | undefined;
}

/** Undefined while no set is chosen, and for what no set can ask. */
export function useJudging(
  index: string,
  setId: string,
  question: Question | undefined,
): Judging | undefined {
  const stored = useSet(index, setId);
  const [changed, setChanged] = useState<JudgmentSet>();
  const task = useTask();
  if (setId === '' || question === undefined) return undefined;
  const set = changed?.id === setId ? changed : stored.value;
  const judged = set?.questions.find((each) => sameQuestion(each, question));
  const judge = (id: string, grade: number | null) =>
    void task.run(async () => {
      const body = { question, judgments: [{ id, grade }] };
      setChanged((await callIndex<JudgmentSet>(index, 'POST', pathOf(setId, '/judgments'), { body })).body);
    });
  return {
    grades: new Map(judged?.judgments.map(({ id, grade }) => [id, grade])),
    isBusy: task.isRunning || set === undefined,
    problem: task.problem ?? stored.problem,
    judge: may('data_plane::vectors::write') ? judge : undefined,
  };
}
