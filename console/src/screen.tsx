// Chooses the screen for the route. Screens other than the first are loaded when they are opened.
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { asProblem, type Problem } from './api/problem.ts';
import { project } from './api/session.ts';
import { route } from './router.ts';
import { Home } from './screens/home/home.tsx';
import { Empty, ErrorBox, Loading } from './ui/feedback.tsx';

type Load = () => Promise<ComponentType>;

const SCREENS: Readonly<Record<string, Load>> = {
  indexes: () => import('./screens/index/index-screen.tsx').then(({ IndexScreen }) => IndexScreen),
  search: () => import('./screens/search/search-screen.tsx').then(({ SearchScreen }) => SearchScreen),
  backups: () => import('./screens/backups/backups-screen.tsx').then(({ BackupsScreen }) => BackupsScreen),
  keys: () => import('./screens/keys/keys-screen.tsx').then(({ KeysScreen }) => KeysScreen),
};

export function Screen() {
  const [name = ''] = route.value.path;
  const load = SCREENS[name];
  if (project.value === null && name !== 'keys') {
    return (
      <Empty title="You have no project yet.">Ask an owner of the organization for a role in one.</Empty>
    );
  }
  if (name === '' || name === 'sign-in') return <Home />;
  if (load === undefined) return <Empty title="There is no such page." />;
  // A screen starts anew in another project.
  return <Lazy key={`${name} ${project.value?.id}`} load={load} />;
}

function Lazy({ load }: { readonly load: Load }) {
  const [component, setComponent] = useState<{ readonly View: ComponentType }>();
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    load().then(
      (View) => setComponent({ View }),
      (error: unknown) => setProblem(asProblem(error)),
    );
  }, []);
  if (problem !== undefined) return <ErrorBox problem={problem} retry={() => location.reload()} />;
  return component === undefined ? <Loading /> : <component.View />;
}
