// One assistant: its files with their states and reasons, uploads, and a chat.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { may } from '../../api/session.ts';
import { go, hrefOf, route } from '../../router.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { DropZone } from '../../ui/drop-zone.tsx';
import { Empty, ErrorBox, Shown } from '../../ui/feedback.tsx';
import { bytes } from '../../ui/format.ts';
import { Lazy } from '../../ui/lazy.tsx';
import { PageHead, PartHead, SubNav } from '../../ui/page.tsx';
import { useRefresh } from '../../ui/refresh.ts';
import { useResource } from '../../ui/resource.ts';
import { isBusy, State } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { useTask } from '../../ui/task.ts';
import { Chat } from './chat.tsx';
import type { AssistantFile } from './types.ts';

const REFRESH_MS = 1_500;
const ACCEPTED = '.pdf,.docx,.pptx,.xlsx,.odt,.epub,.rtf,.eml,.md,.markdown,.txt,.text,.json,.csv,.html,.htm';

export function AssistantView({ name }: { readonly name: string }) {
  const [isDeleting, setDeleting] = useState(false);
  return (
    <>
      <PageHead
        title={
          <>
            <a class="crumb" href={hrefOf(['assistants'])}>
              Assistants /
            </a>{' '}
            {name}
          </>
        }
      >
        {may('control_plane::assistants::delete') && (
          <button type="button" class="danger small" onClick={() => setDeleting(true)}>
            Delete the assistant
          </button>
        )}
      </PageHead>
      {may('data_plane::assistant_files::read') ? (
        <Parts name={name} />
      ) : (
        <Empty title="Your role does not use assistants." />
      )}
      {isDeleting && (
        <Confirm
          title="Delete the assistant"
          name={name}
          action="Delete"
          onConfirm={async () => {
            await call('DELETE', `assistant/assistants/${encodeURIComponent(name)}`);
            go(['assistants']);
          }}
          onClose={() => setDeleting(false)}
        >
          This deletes its files and cannot be undone.
        </Confirm>
      )}
    </>
  );
}

const TABS = [
  { name: 'chat', title: 'Files and questions' },
  { name: 'evaluation', title: 'Evaluation' },
];

const loadEvaluation = () =>
  import('./evaluation/evaluation-view.tsx').then(({ EvaluationView }) => EvaluationView);

function Parts({ name }: { readonly name: string }) {
  const { tab = 'chat' } = route.value.values;
  const mayChat = may('data_plane::assistants::chat');
  return (
    <>
      {mayChat && <SubNav label="Parts of the assistant" path={['assistants', name]} tabs={TABS} tab={tab} />}
      {tab === 'evaluation' && mayChat ? (
        <Lazy load={loadEvaluation} props={{ name }} />
      ) : (
        <div class="bench">
          <Files name={name} />
          {mayChat && <Chat name={name} />}
        </div>
      )}
    </>
  );
}

function Files({ name }: { readonly name: string }) {
  const task = useTask();
  const path = `assistant/files/${encodeURIComponent(name)}`;
  const files = useResource(`files ${name}`, async (signal) => {
    return (await call<{ readonly files: readonly AssistantFile[] }>('GET', path, { signal })).files;
  });
  useRefresh(files.refresh, REFRESH_MS, files.value?.some(({ status }) => isBusy(status)) ?? false);
  const mayWrite = may('data_plane::assistant_files::write');
  const upload = (chosen: readonly File[]) =>
    task.run(async (action) => {
      for (const file of chosen) {
        const body = new FormData();
        body.append('file', file);
        await call('POST', path, { body, ...action });
        files.reload();
      }
    });
  const remove = (id: string) =>
    task.run(async () => {
      await call('DELETE', `${path}/${encodeURIComponent(id)}`);
      files.reload();
    });
  return (
    <section aria-label="Files">
      <PartHead title="Files" />
      {mayWrite && (
        <DropZone
          label="Drop files here, or choose some"
          hint="PDF, office files, books, e-mail, Markdown, text, JSON, CSV or HTML"
          accept={ACCEPTED}
          isMultiple
          disabled={task.isRunning}
          onFiles={(chosen) => void upload(chosen)}
        />
      )}
      <ErrorBox problem={task.problem} />
      <Shown of={files}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No files yet." />
          ) : (
            <Table
              rows={all}
              keyOf={({ id }) => id}
              columns={[
                { title: 'File', kind: 'long', cell: (file) => <bdi>{file.name}</bdi> },
                { title: 'Size', kind: 'number', cell: ({ size }) => bytes(size) },
                { title: 'State', cell: (file) => <FileState file={file} /> },
                mayWrite && {
                  title: 'Actions',
                  kind: 'actions',
                  cell: (file) => (
                    <button
                      type="button"
                      class="small"
                      aria-label={`Delete ${file.name}`}
                      disabled={task.isRunning}
                      onClick={() => remove(file.id)}
                    >
                      Delete
                    </button>
                  ),
                },
              ]}
            />
          )
        }
      </Shown>
    </section>
  );
}

function FileState({ file: { status, error_message: reason } }: { readonly file: AssistantFile }) {
  return (
    <span>
      <State name={status} />
      {reason !== null && <bdi class="quiet"> {reason}</bdi>}
    </span>
  );
}
