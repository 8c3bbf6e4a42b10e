// Service accounts: made with roles, renamed, given a new secret and deleted. A secret is shown once.
import { type Dispatch, type StateUpdater, useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { mayInOrganization } from '../../api/session.ts';
import { hrefOf } from '../../router.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty } from '../../ui/feedback.tsx';
import { time } from '../../ui/format.ts';
import { PartHead } from '../../ui/page.tsx';
import { PagedTable, usePagedList } from '../../ui/paged-list.tsx';
import { RowAction } from '../../ui/row-action.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { CreateServiceAccount } from './create-service-account.tsx';
import { NameDialog } from './name-dialog.tsx';
import type { ServiceAccount, ServiceAccountWithSecret } from './types.ts';

type Action =
  | { readonly kind: 'create' }
  | { readonly kind: 'rename' | 'rotate' | 'delete'; readonly account: ServiceAccount }
  | { readonly kind: 'show'; readonly made: ServiceAccountWithSecret };

export function ServiceAccounts() {
  const [action, setAction] = useState<Action>();
  const mayWrite = mayInOrganization('admin::service_accounts::write');
  const accounts = usePagedList<ServiceAccount>('admin/service-accounts');
  return (
    <section>
      <PartHead title="Service accounts">
        {mayWrite && (
          <button type="button" class="main" onClick={() => setAction({ kind: 'create' })}>
            Create a service account
          </button>
        )}
      </PartHead>
      <p class="quiet">For programs that administer: they get access tokens by client id and secret.</p>
      <PagedTable
        list={accounts}
        noun={['service account', 'service accounts']}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
          { title: 'Client id', kind: 'long', cell: (account) => <code>{account.client_id}</code> },
          { title: 'Since', cell: (account) => time(account.created_at) },
          {
            title: 'Actions',
            kind: 'actions',
            cell: (account) => <AccountActions {...{ account, mayWrite }} onAction={setAction} />,
          },
        ]}
      >
        <Empty title="No service accounts." />
      </PagedTable>
      {action !== undefined && (
        <AccountDialog action={action} onAction={setAction} onChanged={accounts.page.reload} />
      )}
    </section>
  );
}

interface AccountActionsProps {
  readonly account: ServiceAccount;
  readonly mayWrite: boolean;
  readonly onAction: (action: Action) => void;
}

function AccountActions({ account, mayWrite, onAction }: AccountActionsProps) {
  const { id, name } = account;
  return (
    <span class="tools">
      {mayInOrganization('admin::role_bindings::read') && (
        <a href={hrefOf(['admin'], { tab: 'roles', kind: 'service_account', who: id })}>Roles</a>
      )}
      {mayWrite && (
        <>
          <RowAction action="Rename" of={name} onClick={() => onAction({ kind: 'rename', account })} />
          <RowAction action="New secret" of={name} onClick={() => onAction({ kind: 'rotate', account })} />
          <RowAction action="Delete" of={name} onClick={() => onAction({ kind: 'delete', account })} />
        </>
      )}
    </span>
  );
}

interface AccountDialogProps {
  readonly action: Action;
  readonly onAction: Dispatch<StateUpdater<Action | undefined>>;
  readonly onChanged: () => void;
}

function AccountDialog({ action, onAction, onChanged }: AccountDialogProps) {
  // A dialog that ends by opening the next one leaves that open.
  const close = () => onAction((current) => (current === action ? undefined : current));
  const show = (made: ServiceAccountWithSecret) => {
    onChanged();
    onAction({ kind: 'show', made });
  };
  if (action.kind === 'create') return <CreateServiceAccount onClose={close} onCreated={show} />;
  if (action.kind === 'show') {
    const { service_account: account, client_secret: secret } = action.made;
    return (
      <ShownOnce title="The client secret" secret={secret} onClose={close}>
        <p>
          It belongs to the client id <code class="break">{account.client_id}</code>.
        </p>
      </ShownOnce>
    );
  }
  const { account } = action;
  const path = `admin/service-accounts/${account.id}`;
  if (action.kind === 'rename') {
    return (
      <NameDialog
        title="Rename the service account"
        action="Rename"
        name={account.name}
        onClose={close}
        onName={async (name) => {
          await call('PATCH', path, { body: { name } });
          onChanged();
        }}
      />
    );
  }
  if (action.kind === 'rotate') {
    return (
      <Confirm
        title="Make a new secret"
        name={account.name}
        action="Make it"
        onClose={close}
        onConfirm={async () => show(await call<ServiceAccountWithSecret>('POST', `${path}/rotate-secret`))}
      >
        The former secret and every token obtained with it are refused at once.
      </Confirm>
    );
  }
  return (
    <Confirm
      title="Delete the service account"
      name={account.name}
      action="Delete"
      onClose={close}
      onConfirm={async () => {
        await call('DELETE', path);
        onChanged();
      }}
    >
      Its secret, tokens and sessions are refused at once.
    </Confirm>
  );
}
