// The account of whoever is signed in: where else, and by which identities.
import { call } from '../../api/call.ts';
import { goToProvider, readProvider } from '../../api/provider.ts';
import { forgetSession, session } from '../../api/session.ts';
import { ErrorBox, Shown } from '../../ui/feedback.tsx';
import { time } from '../../ui/format.ts';
import { PageHead, PartHead } from '../../ui/page.tsx';
import { useResource } from '../../ui/resource.ts';
import { RowAction } from '../../ui/row-action.tsx';
import { Table } from '../../ui/table.tsx';
import { useTask } from '../../ui/task.ts';

interface OwnSession {
  readonly id: string;
  readonly opened_at: string | null;
  readonly last_used_at: string;
  readonly ends_at: string;
  readonly host: string;
  readonly by_provider: boolean;
  readonly current: boolean;
}

export function SessionsScreen() {
  const sessions = useResource('own sessions', (signal) =>
    call<{ readonly sessions: readonly OwnSession[] }>('GET', 'console/sessions', { signal }),
  );
  const task = useTask();
  const end = (id: string) =>
    void task.run(async () => {
      await call('DELETE', `console/sessions/${id}`);
      sessions.reload();
    });
  const endAll = () =>
    void task.run(async () => {
      await call('DELETE', 'console/sessions');
      forgetSession();
    });
  return (
    <>
      <PageHead title="Your sessions">
        <button type="button" class="danger" disabled={task.isRunning} onClick={endAll}>
          Sign out everywhere
        </button>
      </PageHead>
      <ErrorBox problem={task.problem} />
      <Shown of={sessions}>
        {({ sessions: rows }) => (
          <Table
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              { title: 'Opened', cell: ({ opened_at }) => (opened_at === null ? '–' : time(opened_at)) },
              { title: 'Last used', cell: ({ last_used_at }) => time(last_used_at) },
              { title: 'Ends', cell: ({ ends_at }) => time(ends_at) },
              { title: 'Address', kind: 'long', cell: ({ host }) => host },
              {
                title: 'Actions',
                kind: 'actions',
                cell: ({ id, current, opened_at }) =>
                  current ? (
                    'This session'
                  ) : (
                    <RowAction action="End" of={`session of ${opened_at ?? id}`} onClick={() => end(id)} />
                  ),
              },
            ]}
          />
        )}
      </Shown>
      {session.value?.principal.type === 'user' && <Connection />}
    </>
  );
}

function Connection() {
  const { value: provider } = useResource('ways to sign in', readProvider);
  const task = useTask();
  if (provider === undefined || provider === null) return null;
  return (
    <section>
      <PartHead title={`Sign in with ${provider.name}`} />
      <p>An identity that is connected signs in to this account, whatever its e-mail address.</p>
      <button type="button" disabled={task.isRunning} onClick={() => void task.run(() => goToProvider(true))}>
        Connect an identity
      </button>
      <ErrorBox problem={task.problem} />
    </section>
  );
}
