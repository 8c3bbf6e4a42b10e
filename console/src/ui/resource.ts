// Reads something from the server for a component, anew when its key changes or the server answers again.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { reconnections } from '../api/call.ts';
import { asProblem, isPassing, type Problem, UNREACHABLE } from '../api/problem.ts';
import { takeEarly } from './early.ts';
import { whenReleased } from './press.ts';

export interface Resource<Value> {
  /** The latest value; stays while the next one is read, and where that fails for now. */
  readonly value: Value | undefined;
  /** Why the latest reading failed. That no server answers is none beside a value: the page says so as a whole. */
  readonly problem: Problem | undefined;
  readonly isLoading: boolean;
  /** Reads it anew; what is being read ends. */
  readonly reload: () => void;
  /** Reads it anew unless it is being read: for regular times, within which not every server answers. */
  readonly refresh: () => void;
}

interface Reading<Value> {
  readonly key: string;
  readonly value?: Value;
  readonly problem?: Problem;
}

/** @param key names what `read` reads; empty to read nothing */
export function useResource<Value>(
  key: string,
  read: (signal: AbortSignal) => Promise<Value>,
): Resource<Value> {
  const [reading, setReading] = useState<Reading<Value>>({ key: '' });
  const [isLoading, setLoading] = useState(key !== '');
  const [round, setRound] = useState(0);
  const isReading = useRef(false);
  const connection = reconnections.value;
  useEffect(() => {
    if (key === '') return undefined;
    const abort = new AbortController();
    setLoading(true);
    isReading.current = true;
    const early = takeEarly<Value>(key);
    (early ?? read(abort.signal))
      .then((value) => ({ key, value }))
      .catch((error: unknown) => ({ key, problem: asProblem(error) }))
      .then((result) =>
        whenReleased(() => {
          if (abort.signal.aborted) return;
          setReading((former) => after(former, result));
          setLoading(false);
          isReading.current = false;
        }),
      );
    return () => {
      abort.abort();
      isReading.current = false;
    };
    // `read` is a new function at each rendering; the key tells what it reads.
  }, [key, round, connection]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  const refresh = useCallback(() => {
    if (!isReading.current) reload();
  }, []);
  const isCurrent = reading.key === key;
  return {
    value: isCurrent ? reading.value : undefined,
    problem: isCurrent ? reading.problem : undefined,
    isLoading: isLoading || !isCurrent,
    reload,
    refresh,
  };
}

/** What was read stays in view, with all that was typed into it, through a failure that may be over at the next try. */
function after<Value>(former: Reading<Value>, result: Reading<Value>): Reading<Value> {
  const { key, problem } = result;
  if (problem === undefined || !isPassing(problem)) return result;
  if (former.key !== key || former.value === undefined) return result;
  return problem.status === UNREACHABLE ? former : { ...former, problem };
}
