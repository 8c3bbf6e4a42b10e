// State that a person changes, and that an address or another choice sets anew.
import { useLayoutEffect, useState } from 'preact/hooks';

/**
 * A state that `take` makes at first, and again whenever `source` changes.
 *
 * It is taken before the browser can pass on another event: an effect that ran later would erase what was typed right
 * after the field appeared.
 */
export function useFollowing<State>(source: unknown, take: (before?: State) => State) {
  const [state, setState] = useState(() => take());
  useLayoutEffect(() => setState((before) => take(before)), [source]);
  return [state, setState] as const;
}
