// The rows of a page of records. Only those in view are in the document, so that long pages scroll smoothly.
import { useRef, useState } from 'preact/hooks';
import type { BrowsedRecord, Metadata } from '../../api/types.ts';

const ROW_PX = 36;
const VIEW_PX = 900;
/** Rows beyond the view, so that scrolling shows no gaps. */
const OVERSCAN = 8;
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12 };

export interface RowListProps {
  readonly records: readonly BrowsedRecord[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
}

export function RowList({ records, chosen, onChoose }: RowListProps) {
  const [scrolled, setScrolled] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const first = Math.max(0, Math.floor(scrolled / ROW_PX) - OVERSCAN);
  const last = Math.min(records.length, Math.ceil((scrolled + VIEW_PX) / ROW_PX) + OVERSCAN);
  const move = (event: KeyboardEvent, at: number) => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(records.length - 1, at + step));
    list.current?.parentElement?.scrollTo({ top: Math.max(0, next * ROW_PX - VIEW_PX / 3) });
    const focus = () => {
      const row = list.current?.querySelector<HTMLElement>(`[data-at="${next}"]`);
      row?.focus();
      return row !== undefined && row !== null;
    };
    // A row far away is there only after the list has scrolled.
    if (!focus()) requestAnimationFrame(focus);
  };
  return (
    <div class="rows" onScroll={(event) => setScrolled(event.currentTarget.scrollTop)}>
      <ul
        class="rows-inner"
        ref={list}
        style={{ height: `${records.length * ROW_PX}px` }}
        aria-label="Records"
      >
        {records.slice(first, last).map((record, offset) => {
          const at = first + offset;
          return (
            <li key={record.id} style={{ top: `${at * ROW_PX}px` }}>
              <button
                type="button"
                class="row"
                data-at={at}
                aria-current={record.id === chosen ? 'true' : undefined}
                onKeyDown={(event) => move(event, at)}
                onClick={() => onChoose(record.id)}
              >
                <bdi class="row-id">{record.id}</bdi>
                <span class="row-meta">
                  <Summary fields={record.fields} />
                </span>
              </button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

const FIELDS_MAX = 8;
const CHARS_MAX = 160;

function Summary({ fields }: { readonly fields: Metadata }) {
  return (
    <>
      {Object.entries(fields)
        .slice(0, FIELDS_MAX)
        .map(([name, value]) => (
          <span key={name}>
            <b>{name}</b> <bdi>{shown(value)}</bdi>{' '}
          </span>
        ))}
    </>
  );
}

function shown(value: unknown): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, CHARS_MAX);
}
