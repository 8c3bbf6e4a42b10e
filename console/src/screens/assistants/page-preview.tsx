// The page of a file that a citation is on, with the cited passage marked: its text, and of PDF files its look.
import { useEffect, useRef } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Empty, ErrorBox, Shown } from '../../ui/feedback.tsx';
import { useResource } from '../../ui/resource.ts';
import { useTask } from '../../ui/task.ts';
import { type PageLayout, type PageRegion, PageSketch } from './page-sketch.tsx';
import type { AssistantFile } from './types.ts';

interface FoundPassage {
  readonly page: number | null;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly regions: readonly PageRegion[];
  readonly layouts: readonly PageLayout[];
}

export interface PagePreviewProps {
  /** Of the assistant. */
  readonly name: string;
  readonly file: AssistantFile;
  readonly passage: string;
  readonly onClose: () => void;
}

export function PagePreview({ name, file, passage, onClose }: PagePreviewProps) {
  const path = `assistant/files/${encodeURIComponent(name)}/${encodeURIComponent(file.id)}`;
  const found = useResource(`passage ${file.id} ${passage}`, async (signal) =>
    call<{ readonly found: FoundPassage | null }>('POST', `${path}/passage`, { body: { passage }, signal }),
  );
  const task = useTask();
  const save = () =>
    task.run(async () => {
      const described = await call<AssistantFile>('GET', path, { query: { include_url: 'true' } });
      if (described.signed_url !== null) window.open(described.signed_url, '_blank', 'noopener');
    });
  return (
    <Dialog title={file.name} onClose={onClose} isWide>
      <Shown of={found}>
        {({ found: shown }) =>
          shown === null ? (
            <Empty title="The file no longer has this passage.">It was replaced since the answer.</Empty>
          ) : (
            <Page found={shown} />
          )
        }
      </Shown>
      <ErrorBox problem={task.problem} />
      <div class="actions">
        <button type="button" disabled={task.isRunning} onClick={() => void save()}>
          Save the file
        </button>
      </div>
    </Dialog>
  );
}

function Page({ found }: { readonly found: FoundPassage }) {
  const { page, text, start, end, regions, layouts } = found;
  const mark = useRef<HTMLElement>(null);
  useEffect(() => mark.current?.scrollIntoView({ block: 'center' }), []);
  return (
    <>
      {page !== null && <p class="quiet">Page {page}</p>}
      <div class="cited-page">
        {regions.length > 0 && (
          <div>
            {layouts.map((layout) => (
              <PageSketch key={layout.page} layout={layout} regions={regions} />
            ))}
          </div>
        )}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
        <section class="page-text" aria-label="Text of the page" tabIndex={0}>
          <bdi>
            {text.slice(0, start)}
            <mark ref={mark}>{text.slice(start, end)}</mark>
            {text.slice(end)}
          </bdi>
        </section>
      </div>
    </>
  );
}
