// The assistants of the project; one of them with its files and a chat.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { may, project } from '../../api/session.ts';
import { hrefOf, route } from '../../router.ts';
import { Empty, Shown } from '../../ui/feedback.tsx';
import { time } from '../../ui/format.ts';
import { PageHead } from '../../ui/page.tsx';
import { useRefresh } from '../../ui/refresh.ts';
import { useResource } from '../../ui/resource.ts';
import { isBusy, State } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { AssistantView } from './assistant-view.tsx';
import { CreateAssistant } from './create-assistant.tsx';
import type { Assistant } from './types.ts';

const REFRESH_MS = 2_000;

export function AssistantsScreen() {
  const [, name] = route.value.path;
  return name === undefined ? <AssistantList /> : <AssistantView key={name} name={name} />;
}

function AssistantList() {
  const [isCreating, setCreating] = useState(false);
  const mayList = may('control_plane::assistants::list');
  const key = mayList ? `assistants ${project.value?.id}` : '';
  const assistants = useResource(key, async (signal) => {
    const path = 'assistant/assistants';
    return (await call<{ readonly assistants: readonly Assistant[] }>('GET', path, { signal })).assistants;
  });
  useRefresh(assistants.refresh, REFRESH_MS, assistants.value?.some(({ status }) => isBusy(status)) ?? false);
  if (!mayList) return <Empty title="Your role does not list assistants." />;
  return (
    <>
      <PageHead title="Assistants">
        {may('control_plane::assistants::create') && (
          <button type="button" class="main" onClick={() => setCreating(true)}>
            Create an assistant
          </button>
        )}
      </PageHead>
      <Shown of={assistants}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No assistants yet.">
              An assistant answers questions from files, with citations.
            </Empty>
          ) : (
            <Table
              rows={all}
              keyOf={({ name }) => name}
              columns={[
                { title: 'Name', cell: ({ name }) => <a href={hrefOf(['assistants', name])}>{name}</a> },
                {
                  title: 'Instructions',
                  kind: 'long',
                  cell: ({ instructions }) => <bdi>{instructions ?? ''}</bdi>,
                },
                { title: 'Created', cell: (assistant) => time(assistant.created_at) },
                { title: 'State', cell: ({ status }) => <State name={status} /> },
              ]}
            />
          )
        }
      </Shown>
      {isCreating && <CreateAssistant onClose={() => setCreating(false)} onCreated={assistants.reload} />}
    </>
  );
}
