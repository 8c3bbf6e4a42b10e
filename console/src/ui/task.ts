// Something that a person starts: whether it runs, and why it failed.
import { useState } from 'preact/hooks';
import { asProblem, type Problem } from '../api/problem.ts';
import { type Action, useActions } from './action.ts';

export interface Task {
  readonly isRunning: boolean;
  readonly problem: Problem | undefined;
  /** Resolves to whether the work succeeded. Does nothing while other work runs. */
  readonly run: (work: (action: Action) => Promise<void>) => Promise<boolean>;
  readonly clear: () => void;
}

export function useTask(): Task {
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const { begin } = useActions();
  const run = async (work: (action: Action) => Promise<void>) => {
    if (isRunning) return false;
    setRunning(true);
    setProblem(undefined);
    try {
      await work(begin());
      return true;
    } catch (error) {
      setProblem(asProblem(error));
      return false;
    } finally {
      setRunning(false);
    }
  };
  return { isRunning, problem, run, clear: () => setProblem(undefined) };
}
