// Invites: made, sent again and withdrawn. The link of one is shown once.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { mayInOrganization } from '../../api/session.ts';
import { Empty, ErrorBox } from '../../ui/feedback.tsx';
import { time } from '../../ui/format.ts';
import { PartHead } from '../../ui/page.tsx';
import { PagedTable, usePagedList } from '../../ui/paged-list.tsx';
import { RowAction } from '../../ui/row-action.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { State } from '../../ui/state.tsx';
import { useTask } from '../../ui/task.ts';
import { CreateInvite } from './create-invite.tsx';
import type { Invite, SentInvite } from './types.ts';

export function Invites() {
  const [isCreating, setCreating] = useState(false);
  const [sent, setSent] = useState<SentInvite>();
  const task = useTask();
  const mayWrite = mayInOrganization('admin::invites::write');
  const invites = usePagedList<Invite>('admin/invites');
  const { reload } = invites.page;
  const onSent = (invite: SentInvite) => {
    setCreating(false);
    setSent(invite);
    reload();
  };
  const resend = ({ id }: Invite) =>
    task.run(async () => onSent(await call<SentInvite>('POST', `admin/invites/${id}/resend`)));
  const withdraw = ({ id }: Invite) =>
    task.run(async () => {
      await call('DELETE', `admin/invites/${id}`);
      reload();
    });
  return (
    <section>
      <PartHead title="Invites">
        {mayWrite && (
          <button type="button" class="main" onClick={() => setCreating(true)}>
            Invite somebody
          </button>
        )}
      </PartHead>
      <ErrorBox problem={task.problem} />
      <PagedTable
        list={invites}
        noun={['invite', 'invites']}
        keyOf={({ id }) => id}
        columns={[
          { title: 'E-mail address', kind: 'long', cell: ({ email }) => <bdi>{email}</bdi> },
          { title: 'Sent', cell: (invite) => time(invite.created_at) },
          { title: 'Expires', cell: (invite) => time(invite.expires_at) },
          { title: 'State', cell: ({ status }) => <State name={status} /> },
          mayWrite && {
            title: 'Actions',
            kind: 'actions',
            cell: (invite) => (
              <span class="tools">
                <RowAction
                  action="Send again"
                  of={invite.email}
                  disabled={task.isRunning}
                  onClick={() => void resend(invite)}
                />
                <RowAction
                  action="Withdraw"
                  of={invite.email}
                  disabled={task.isRunning}
                  onClick={() => void withdraw(invite)}
                />
              </span>
            ),
          },
        ]}
      >
        <Empty title="No open invites." />
      </PagedTable>
      {isCreating && <CreateInvite onClose={() => setCreating(false)} onSent={onSent} />}
      {sent !== undefined && (
        <ShownOnce title="The link of the invite" secret={sent.accept_url} onClose={() => setSent(undefined)}>
          <p>
            Whoever opens it and presses the button joins as <bdi>{sent.email}</bdi>. It is valid until{' '}
            {time(sent.expires_at)}.
          </p>
        </ShownOnce>
      )}
    </section>
  );
}
