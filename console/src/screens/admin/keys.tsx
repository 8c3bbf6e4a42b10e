// The API keys of a project: made, changed and revoked.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { may } from '../../api/session.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty } from '../../ui/feedback.tsx';
import { PartHead } from '../../ui/page.tsx';
import { PagedTable, usePagedList } from '../../ui/paged-list.tsx';
import { RowAction } from '../../ui/row-action.tsx';
import { ChangeKey } from './change-key.tsx';
import { CreateKey } from './create-key.tsx';
import { QuotaDialog } from './quota-dialog.tsx';
import type { ApiKey } from './types.ts';

interface KeysProps {
  /** Of the project. */
  readonly id: string;
  readonly name: string;
}

type Action =
  | { readonly kind: 'create' }
  | { readonly kind: 'change' | 'quota' | 'revoke'; readonly apiKey: ApiKey };

export function Keys({ id, name }: KeysProps) {
  const [action, setAction] = useState<Action>();
  const close = () => setAction(undefined);
  const mayRead = may('admin::api_keys::read');
  const mayWrite = may('admin::api_keys::write');
  const keys = usePagedList<ApiKey>(mayRead ? `admin/projects/${id}/api-keys` : '');
  const { reload } = keys.page;
  if (!mayRead) return <Empty title="Your role does not see the keys of this project." />;
  return (
    <section>
      <PartHead title={`API keys of ${name}`}>
        {mayWrite && (
          <button type="button" class="main" onClick={() => setAction({ kind: 'create' })}>
            Create a key
          </button>
        )}
      </PartHead>
      <PagedTable
        list={keys}
        noun={['key', 'keys']}
        keyOf={(key) => key.id}
        columns={[
          { title: 'Name', cell: (key) => <bdi>{key.name}</bdi> },
          { title: 'Roles', cell: ({ roles }) => roles.join(', ') || 'none' },
          { title: 'Id', kind: 'long', cell: (key) => <code>{key.id}</code> },
          {
            title: 'Actions',
            kind: 'actions',
            cell: (apiKey) => <KeyActions apiKey={apiKey} mayWrite={mayWrite} onAction={setAction} />,
          },
        ]}
      >
        <Empty title="No keys." />
      </PagedTable>
      {action?.kind === 'create' && <CreateKey projectId={id} onClose={close} onCreated={reload} />}
      {action?.kind === 'change' && <ChangeKey apiKey={action.apiKey} onClose={close} onChanged={reload} />}
      {action?.kind === 'quota' && (
        <QuotaDialog
          name={action.apiKey.name}
          path={`admin/api-keys/${action.apiKey.id}/quota`}
          onClose={close}
        />
      )}
      {action?.kind === 'revoke' && (
        <Confirm
          title="Revoke the key"
          name={action.apiKey.name}
          action="Revoke"
          onConfirm={async () => {
            await call('DELETE', `admin/api-keys/${action.apiKey.id}`);
            reload();
          }}
          onClose={close}
        >
          Whatever uses this key is refused at once, and sessions that were opened by it end.
        </Confirm>
      )}
    </section>
  );
}

interface KeyActionsProps {
  readonly apiKey: ApiKey;
  readonly mayWrite: boolean;
  readonly onAction: (action: Action) => void;
}

function KeyActions({ apiKey, mayWrite, onAction }: KeyActionsProps) {
  const action = (kind: 'change' | 'quota' | 'revoke') => () => onAction({ kind, apiKey });
  return (
    <span class="tools">
      {mayWrite && <RowAction action="Change" of={apiKey.name} onClick={action('change')} />}
      <RowAction action="Quota" of={apiKey.name} onClick={action('quota')} />
      {mayWrite && <RowAction action="Revoke" of={apiKey.name} onClick={action('revoke')} />}
    </span>
  );
}
