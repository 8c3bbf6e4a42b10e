// Moves between the pages of a list whose next pages are known by tokens alone.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

export interface Pages {
  /** Undefined for the first page. */
  readonly token: string | undefined;
  /** From 1. */
  readonly number: number;
  readonly back: () => void;
  readonly forward: (token: string) => void;
}

/** Pages that the way back has; further back is the first page. */
const KEPT_MAX = 100;

interface Position {
  readonly scope: string;
  readonly number: number;
  /** Of the page in view, and of those before it. */
  readonly tokens: readonly string[];
}

/** Starts at the first page for each new `scope`. */
export function usePages(scope: string): Pages {
  const [state, setState] = useState<Position>({ scope, number: 1, tokens: [] });
  const { number, tokens } = state.scope === scope ? state : { number: 1, tokens: [] };
  return {
    token: tokens.at(-1),
    number,
    back: () => {
      const before = tokens.slice(0, -1);
      const isFirst = before.length === 0;
      setState({ scope, number: isFirst ? 1 : number - 1, tokens: before });
    },
    forward: (token) => setState({ scope, number: number + 1, tokens: [...tokens, token].slice(-KEPT_MAX) }),
  };
}

interface PagerProps {
  readonly pages: Pages;
  /** The token of the next page, if there is one. */
  readonly next: string | null | undefined;
  /** What the page shows, in words. */
  readonly children: ComponentChildren;
}

export function Pager({ pages, next, children }: PagerProps) {
  return (
    <div class="pager">
      <span class="quiet">
        Page {pages.number}, {children}
      </span>
      <span class="tools">
        <button type="button" class="small" disabled={pages.number === 1} onClick={pages.back}>
          Previous
        </button>
        <button
          type="button"
          class="small"
          disabled={next === undefined || next === null}
          onClick={() => pages.forward(next ?? '')}
        >
          Next
        </button>
      </span>
    </div>
  );
}
