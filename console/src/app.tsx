// The frame of every page: navigation, the project, who is signed in, and the notes of a lost connection or session.

import { useEffect } from 'preact/hooks';
import { isOffline, reconnections, refusals } from './api/call.ts';
import { callback } from './api/provider.ts';
import { otherTabs, state } from './api/session.ts';
import { findSession, followOtherTabs, refreshSession } from './api/sign-in.ts';
import { route } from './router.ts';
import { Screen } from './screen.tsx';
import { ProviderReturn } from './screens/provider-sign-in.tsx';
import { SignIn } from './screens/sign-in.tsx';
import { TopBar } from './top-bar.tsx';
import { Dialog } from './ui/dialog.tsx';
import { Loading } from './ui/feedback.tsx';

export function App() {
  const connection = reconnections.value;
  useEffect(() => {
    // A server that was away at the start.
    const isUndecided = state.value === 'unknown' || state.value === 'remembered';
    if (connection > 0 && isUndecided) void findSession().catch(() => undefined);
  }, [connection]);
  const [refused, changed] = [refusals.value, otherTabs.value];
  useEffect(() => {
    // A role that was taken away while the page was open.
    if (refused > 0) void refreshSession().catch(() => undefined);
  }, [refused]);
  useEffect(() => {
    if (changed > 0) void followOtherTabs().catch(() => undefined);
  }, [changed]);
  return (
    <>
      {isOffline.value && (
        <p class="banner" role="status">
          The server does not answer. This page goes on as soon as it does.
        </p>
      )}
      <Content />
    </>
  );
}

function Content() {
  if (callback.value !== null) return <ProviderReturn query={callback.value} />;
  switch (state.value) {
    case 'unknown':
      return <Loading />;
    case 'out':
      return <SignIn />;
    default:
      return <SignedIn />;
  }
}

function SignedIn() {
  const [screen = ''] = route.value.path;
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <TopBar screen={screen} />
      <main id="main" tabIndex={-1}>
        <Screen />
      </main>
      {state.value === 'expired' && (
        <Dialog title="Sign in again">
          <p>Your session has ended. What you typed is still here.</p>
          <SignIn isInside />
        </Dialog>
      )}
    </>
  );
}
