// Chooses the screen for the route. Screens other than the first are loaded when they are opened.
import { isStrangeProject, project, scopeNow } from './api/session.ts';
import { hrefOf, route } from './router.ts';
import { Home } from './screens/home/home.tsx';
import { Empty } from './ui/feedback.tsx';
import { Lazy, type Load } from './ui/lazy.tsx';

const loadAdministration: Load<object> = () =>
  import('./screens/admin/admin-screen.tsx').then(({ AdminScreen }) => AdminScreen);

const loadSessions: Load<object> = () =>
  import('./screens/account/sessions-screen.tsx').then(({ SessionsScreen }) => SessionsScreen);

const SCREENS: Readonly<Record<string, Load<object>>> = {
  indexes: () => import('./screens/index/index-screen.tsx').then(({ IndexScreen }) => IndexScreen),
  search: () => import('./screens/search/search-screen.tsx').then(({ SearchScreen }) => SearchScreen),
  backups: () => import('./screens/backups/backups-screen.tsx').then(({ BackupsScreen }) => BackupsScreen),
  assistants: () =>
    import('./screens/assistants/assistants-screen.tsx').then(({ AssistantsScreen }) => AssistantsScreen),
  mcp: () => import('./screens/mcp/mcp-screen.tsx').then(({ McpScreen }) => McpScreen),
  live: () => import('./screens/live/live-screen.tsx').then(({ LiveScreen }) => LiveScreen),
  sessions: loadSessions,
  admin: loadAdministration,
  // The address that links of earlier releases have.
  keys: loadAdministration,
};

export function Screen() {
  const [name = ''] = route.value.path;
  const load = SCREENS[name];
  if (load !== loadAdministration && load !== loadSessions) {
    if (project.value === null) {
      return (
        <Empty title="You have no project yet.">Ask an owner of the organization for a role in one.</Empty>
      );
    }
    if (isStrangeProject.value) {
      return (
        <Empty title="The project of this link is none of yours.">
          Ask an owner of the organization for a role in it, or{' '}
          <a href={hrefOf([])}>go to {project.value.name}</a>.
        </Empty>
      );
    }
  }
  const { holder, project: id } = scopeNow();
  // A screen starts anew in another project, and for somebody else.
  const key = `${name} ${holder} ${id}`;
  if (name === '' || name === 'sign-in') return <Home key={key} />;
  if (load === undefined) return <Empty title="There is no such page." />;
  return <Lazy key={key} load={load} props={{}} />;
}
