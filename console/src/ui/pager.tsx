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

/** Starts at the first page for each new `scope`. */
export function usePages(scope: string): Pages {
  const [state, setState] = useState<{ readonly scope: string; readonly tokens: readonly string[] }>({
    scope,
    tokens: [],
  });
  const tokens = state.scope === scope ? state.tokens : [];
  return {
    token: tokens.at(-1),
    number: tokens.length + 1,
    back: () => setState({ scope, tokens: tokens.slice(0, -1) }),
    forward: (token) => setState({ scope, tokens: [...tokens, token] }),
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
