// People of the organization, and the invites of those who are to come.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { mayInOrganization, session } from '../../api/session.ts';
import { hrefOf } from '../../router.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty } from '../../ui/feedback.tsx';
import { time } from '../../ui/format.ts';
import { PartHead } from '../../ui/page.tsx';
import { PagedTable, usePagedList } from '../../ui/paged-list.tsx';
import { RowAction } from '../../ui/row-action.tsx';
import { Invites } from './invites.tsx';
import type { User } from './types.ts';

export function People() {
  return (
    <>
      {mayInOrganization('admin::users::read') && <Users />}
      {mayInOrganization('admin::invites::read') && <Invites />}
    </>
  );
}

function Users() {
  const [removing, setRemoving] = useState<User>();
  const [ending, setEnding] = useState<User>();
  const users = usePagedList<User>('admin/users');
  const mayRemove = mayInOrganization('admin::users::delete');
  return (
    <section>
      <PartHead title="People" />
      <PagedTable
        list={users}
        noun={['person', 'people']}
        keyOf={({ id }) => id}
        columns={[
          { title: 'E-mail address', kind: 'long', cell: ({ email }) => <bdi>{email}</bdi> },
          { title: 'Name', cell: ({ name }) => <bdi>{name ?? '–'}</bdi> },
          { title: 'Since', cell: (user) => time(user.created_at) },
          {
            title: 'Actions',
            kind: 'actions',
            cell: (user) => (
              <span class="tools">
                {mayInOrganization('admin::role_bindings::read') && (
                  <a href={hrefOf(['admin'], { tab: 'roles', kind: 'user', who: user.id })}>Roles</a>
                )}
                {mayRemove && (
                  <RowAction action="End sessions" of={`of ${user.email}`} onClick={() => setEnding(user)} />
                )}
                {mayRemove && user.id !== session.value?.principal.id && (
                  <RowAction action="Remove" of={user.email} onClick={() => setRemoving(user)} />
                )}
              </span>
            ),
          },
        ]}
      >
        <Empty title="No people yet.">Invite some, or work with keys and service accounts.</Empty>
      </PagedTable>
      {ending !== undefined && (
        <Confirm
          title="End all sessions of the person"
          name={ending.email}
          action="End"
          onConfirm={() => call('DELETE', `admin/users/${ending.id}/sessions`)}
          onClose={() => setEnding(undefined)}
        >
          They are signed out everywhere, and their access tokens end. They may sign in again.
        </Confirm>
      )}
      {removing !== undefined && (
        <Confirm
          title="Remove the person"
          name={removing.email}
          action="Remove"
          onConfirm={async () => {
            await call('DELETE', `admin/users/${removing.id}`);
            users.page.reload();
          }}
          onClose={() => setRemoving(undefined)}
        >
          Their roles, password and sessions end at once. API keys that they made stay.
        </Confirm>
      )}
    </section>
  );
}
