// The part of the tour through the OpenAPI examples that is about administration: projects, keys, principals, sessions.
import assert from 'node:assert/strict';
import { type AdminService, acceptInvite, OWNER } from './admin.ts';
import type { Tour } from './openapi-tour.ts';
import { API_KEY } from './service.ts';

export async function visitAdministration(tour: Tour): Promise<void> {
  await tour.run('exchange_token', {
    body: { client_id: OWNER.clientId, client_secret: OWNER.clientSecret },
  });
  for (const id of ['log_in', 'log_in_at_workspace']) await tour.run(id, { body: { api_key: API_KEY } });
  await tour.run('check_identity');
  if (!tour.has('create_project')) return;
  const { data = [] } = await tour.run<{ data?: { id: string }[] }>('list_organizations');
  const organization = { path: { organization_id: data[0]?.id ?? '' } };
  await tour.run('fetch_organization', organization);
  await tour.run('update_organization', organization);
  await tour.run('list_projects');
  const { id: project_id = '' } = await tour.run<{ id?: string }>('create_project');
  const project = { path: { project_id } };
  await tour.run('fetch_project', project);
  for (const id of ['update_project', 'set_project_quota', 'fetch_project_quota'])
    await tour.run(id, project);
  const { key } = await tour.run<{ key: { id: string } }>('create_api_key', project);
  const apiKey = { path: { api_key_id: key.id } };
  await tour.run('set_api_key_quota', apiKey);
  await tour.run('fetch_api_key_quota', apiKey);
  for (const id of ['fetch_api_key', 'update_api_key', 'delete_api_key']) await tour.run(id, apiKey);
  await tour.run('list_project_api_keys', project);
  await visitPrincipals(tour, project_id);
  await tour.run('list_audit_entries');
  for (const id of ['set_log_level', 'fetch_log_level']) await tour.run(id);
  await tour.run('delete_project', project);
}

export async function visitConsole(tour: Tour, { service }: AdminService): Promise<void> {
  if (!tour.has('sign_in_to_console')) return;
  await tour.run('read_overview');
  await tour.run('describe_mcp_tools');
  await tour.run('read_live_figures');
  await tour.run('follow_requests', { query: { seconds: '1' } });
  await tour.run('sign_in_to_console', { body: { api_key: API_KEY } });
  const halves = await newSession(service);
  await tour.run('describe_console_session', { headers: halves });
  await tour.run('describe_console_sign_in');
  const { sessions } = await tour.run<{ sessions: { id: string; current: boolean }[] }>(
    'list_console_sessions',
    { headers: halves },
  );
  const other = sessions.find(({ current }) => !current)?.id ?? '';
  await tour.run('end_console_session', { headers: halves, path: { session_id: other } });
  await tour.run('sign_out_of_console', { headers: halves });
  await tour.run('end_console_sessions', { headers: await newSession(service) });
}

/** The headers of a session by the key of the project. */
async function newSession(service: AdminService['service']): Promise<Readonly<Record<string, string>>> {
  const { headers, body } = await service.call('POST', '/console/session', { body: { api_key: API_KEY } });
  const [cookie = ''] = String(headers['set-cookie']).split(';');
  return { cookie, 'x-pinyon-session': (body as { readonly token: string }).token };
}

async function visitPrincipals(tour: Tour, projectId: string): Promise<void> {
  if (!tour.has('create_service_account')) return;
  const made = await tour.run<{ service_account: { id: string } }>('create_service_account');
  const account = { path: { service_account_id: made.service_account.id } };
  const binding = await tour.run<{ id: string }>('create_role_binding', {
    body: { principal_id: made.service_account.id, resource_id: projectId },
  });
  const role = { path: { role_binding_id: binding.id } };
  await tour.run('list_role_bindings');
  await tour.run('fetch_role_binding', role);
  await tour.run('delete_role_binding', role);
  for (const id of [
    'list_service_accounts',
    'fetch_service_account',
    'update_service_account',
    'rotate_service_account_secret',
    'delete_service_account',
  ]) {
    await tour.run(id, account);
  }
  const { id, accept_url } = await tour.run<{ id: string; accept_url: string }>('create_invite');
  const invite = { path: { invite_id: id } };
  await tour.run('list_invites');
  await tour.run('fetch_invite', invite);
  const again = await tour.run<{ accept_url: string }>('resend_invite', invite);
  assert.notEqual(again.accept_url, accept_url);
  const accepted = await acceptInvite(again.accept_url, 'Ada');
  const { user } = accepted.body as { user: { id: string } };
  await tour.run('list_users');
  await tour.run('fetch_user', { path: { user_id: user.id } });
  await tour.run('end_user_sessions', { path: { user_id: user.id } });
  await tour.run('delete_user', { path: { user_id: user.id } });
  const other = await tour.run<{ id: string }>('create_invite', { body: { email: 'grace@example.org' } });
  await tour.run('delete_invite', { path: { invite_id: other.id } });
}
