// What a person starts and takes several requests: it ends with the component, and never goes on in another project.
import { useEffect, useRef } from 'preact/hooks';
import { type Scope, scopeNow } from '../api/session.ts';

/** Both are options of calls. */
export interface Action {
  /** Aborted when the component goes. */
  readonly signal: AbortSignal;
  readonly scope: Scope;
}

export interface Actions {
  readonly begin: () => Action;
  /** Aborts what was begun. */
  readonly stop: () => void;
}

export function useActions(): Actions {
  const abort = useRef(new AbortController());
  const stop = () => abort.current.abort();
  useEffect(() => stop, []);
  const begin = () => {
    abort.current = new AbortController();
    return { signal: abort.current.signal, scope: scopeNow() };
  };
  return { begin, stop };
}
