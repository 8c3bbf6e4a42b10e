// Reads something from the server for a component, anew when its key changes or the server answers again.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { reconnections } from '../api/call.ts';
import { asProblem, type Problem, UNREACHABLE } from '../api/problem.ts';
import { takeEarly } from './early.ts';

export interface Resource<Value> {
  /** The latest value; stays while the next one is read. */
  readonly value: Value | undefined;
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
      .then((result) => {
        if (abort.signal.aborted) return;
        // What was read stays in view while the server is away.
        setReading((former) => {
          const isAway = 'problem' in result && result.problem.status === UNREACHABLE;
          return isAway && former.key === key && former.value !== undefined ? former : result;
        });
        setLoading(false);
        isReading.current = false;
      });
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
