// A long list that the page has whole: found by name, and shown a hundred rows at a time.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Input } from './field.tsx';
import { count, plural } from './format.ts';

const ROWS = 100;

interface LongListProps<Row> {
  readonly rows: readonly Row[];
  readonly nameOf: (row: Row) => string;
  /** What a row is, in the singular and the plural. */
  readonly noun: readonly [one: string, many: string];
  /** Shows the rows in view. */
  readonly children: (rows: readonly Row[]) => ComponentChildren;
}

export function LongList<Row>({ rows, nameOf, noun, children }: LongListProps<Row>) {
  const [part, setPart] = useState('');
  const [page, setPage] = useState(0);
  if (rows.length <= ROWS) return <>{children(rows)}</>;
  const wanted = part.trim().toLowerCase();
  const found = wanted === '' ? rows : rows.filter((row) => nameOf(row).toLowerCase().includes(wanted));
  const pages = Math.max(1, Math.ceil(found.length / ROWS));
  // The list may have become shorter.
  const shown = Math.min(page, pages - 1);
  return (
    <>
      <Input
        label="Find by a part of the name"
        value={part}
        onValue={(text) => {
          setPart(text);
          setPage(0);
        }}
        autocomplete="off"
        spellcheck={false}
      />
      {children(found.slice(shown * ROWS, (shown + 1) * ROWS))}
      <div class="pager">
        <span class="quiet">
          Page {count(shown + 1)} of {count(pages)}, {plural(found.length, ...noun)}
        </span>
        <span class="tools">
          <button type="button" class="small" disabled={shown === 0} onClick={() => setPage(shown - 1)}>
            Previous
          </button>
          <button
            type="button"
            class="small"
            disabled={shown === pages - 1}
            onClick={() => setPage(shown + 1)}
          >
            Next
          </button>
        </span>
      </div>
    </>
  );
}
