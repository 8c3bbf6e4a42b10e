// Administration: projects and keys, people, service accounts, roles, the audit log and nodes, each for the roles that see
// it.
import type { ComponentType } from 'preact';
import { mayAnywhere, mayInOrganization } from '../../api/session.ts';
import { route } from '../../router.ts';
import { Empty } from '../../ui/feedback.tsx';
import { PageHead, SubNav } from '../../ui/page.tsx';
import { AuditLog } from './audit-log.tsx';
import { NodesPart, useNodes } from './nodes.tsx';
import { People } from './people.tsx';
import { Projects } from './projects.tsx';
import { RoleBindings } from './role-bindings.tsx';
import { ServiceAccounts } from './service-accounts.tsx';

interface Part {
  readonly name: string;
  readonly title: string;
  readonly isShown: () => boolean;
  readonly View: ComponentType;
}

const PARTS: readonly Part[] = [
  { name: 'projects', title: 'Projects and keys', isShown: () => true, View: Projects },
  {
    name: 'people',
    title: 'People',
    isShown: () => mayInOrganization('admin::users::read') || mayInOrganization('admin::invites::read'),
    View: People,
  },
  {
    name: 'accounts',
    title: 'Service accounts',
    isShown: () => mayInOrganization('admin::service_accounts::read'),
    View: ServiceAccounts,
  },
  {
    name: 'roles',
    title: 'Roles',
    isShown: () => mayAnywhere('admin::role_bindings::read'),
    View: RoleBindings,
  },
  {
    name: 'audit',
    title: 'Audit log',
    isShown: () => mayInOrganization('admin::audit_log::read'),
    View: AuditLog,
  },
];

const NODES: Part = { name: 'nodes', title: 'Nodes', isShown: () => true, View: NodesPart };

export function AdminScreen() {
  const { tab = 'projects' } = route.value.values;
  const nodes = useNodes().value?.data ?? [];
  // A server that is alone has none.
  const parts = nodes.length > 0 ? [...PARTS, NODES] : PARTS;
  const shown = parts.filter(({ isShown }) => isShown());
  const part = shown.find(({ name }) => name === tab);
  return (
    <>
      <PageHead title="Administration" />
      <SubNav label="Parts of the administration" path={['admin']} tabs={shown} tab={tab} />
      {part === undefined ? <Empty title="Your role does not see this page." /> : <part.View />}
    </>
  );
}
