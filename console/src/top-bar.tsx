// The bar at the top: screens, the project in view, and the account.
import { useEffect, useRef } from 'preact/hooks';
import { leaveFor } from './api/provider.ts';
import { chooseProject, may, mayAnywhere, project, session } from './api/session.ts';
import { signOut } from './api/sign-in.ts';
import { hrefOf, setValues } from './router.ts';

const SCREENS = [
  { path: [], also: 'indexes', title: 'Indexes', isShown: () => true },
  { path: ['search'], also: 'search', title: 'Search', isShown: () => true },
  { path: ['backups'], also: 'backups', title: 'Backups', isShown: () => true },
  { path: ['assistants'], also: 'assistants', title: 'Assistants', isShown: seesAssistants },
  { path: ['mcp'], also: 'mcp', title: 'MCP', isShown: () => may('control_plane::indexes::describe') },
  { path: ['live'], also: 'live', title: 'Live', isShown: seesLive },
  { path: ['admin'], also: 'keys', title: 'Administration', isShown: seesAdministration },
];

const ADMINISTRATION = [
  'admin::projects::create',
  'admin::api_keys::read',
  'admin::role_bindings::read',
  'admin::users::read',
  'admin::service_accounts::read',
  'admin::audit_log::read',
];

function seesAssistants(): boolean {
  return may('control_plane::assistants::list');
}

function seesLive(): boolean {
  return may('control_plane::indexes::list') || may('data_plane::vectors::read');
}

/** Keys sign in to their project alone, and administer nothing. */
function seesAdministration(): boolean {
  if (session.value?.principal.type === 'api_key') return false;
  return ADMINISTRATION.some(mayAnywhere);
}

export function TopBar({ screen }: { readonly screen: string }) {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // Where the bar is too narrow for all, it scrolls.
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
  }, [screen]);
  return (
    <header class="top">
      <a class="brand" href={hrefOf([])}>
        Pinyon
      </a>
      <nav aria-label="Screens" ref={nav}>
        {SCREENS.filter(({ isShown }) => isShown()).map(({ path, also, title }) => {
          const isHere = also === screen || path.join('/') === screen;
          return (
            <a key={title} href={hrefOf(path)} aria-current={isHere ? 'page' : undefined}>
              {title}
            </a>
          );
        })}
      </nav>
      <div class="account">
        <ProjectChoice />
        <details class="menu">
          <summary>{accountName()}</summary>
          <div class="menu-body">
            <p class="quiet">
              {KINDS[session.value?.principal.type ?? 'user']}
              <br />
              <span class="break">{session.value?.user}</span>
            </p>
            <a href="docs">Documentation of the API</a>
            <p class="quiet">Version {session.value?.version}</p>
            <a href={hrefOf(['sessions'])}>Your sessions</a>
            <button type="button" onClick={() => void leave()}>
              Sign out
            </button>
          </div>
        </details>
      </div>
    </header>
  );
}

async function leave(): Promise<void> {
  const address = await signOut();
  // The next one to sign in may have others.
  setValues({ project: '' });
  if (address !== null) leaveFor(address);
}

const KINDS = { api_key: 'Signed in by API key', user: 'Signed in as', service_account: 'Service account' };

function accountName(): string {
  const { principal, user = '' } = session.value ?? {};
  if (principal?.type === 'api_key') return 'API key';
  return principal?.type === 'service_account' ? 'Service account' : user;
}

function ProjectChoice() {
  const { projects = [] } = session.value ?? {};
  const current = project.value;
  if (current === null) return null;
  if (projects.length === 1) return <span class="project">{current.name}</span>;
  return (
    <select
      aria-label="Project"
      value={current.id}
      onChange={(event) => chooseProject(event.currentTarget.value)}
    >
      {projects.map(({ id, name }) => (
        <option key={id} value={id} selected={id === current.id}>
          {name}
        </option>
      ))}
    </select>
  );
}
