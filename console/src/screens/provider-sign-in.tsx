// The button that leads to the OpenID provider, and the way back from it.
import { useEffect } from 'preact/hooks';
import { dropCallback, goToProvider, readProvider, returnFromProvider } from '../api/provider.ts';
import { state } from '../api/session.ts';
import { ErrorBox } from '../ui/feedback.tsx';
import { useResource } from '../ui/resource.ts';
import { useTask } from '../ui/task.ts';

/** Nothing where the server has no provider. */
export function ProviderButton({ isInside }: { readonly isInside: boolean }) {
  const { value: provider } = useResource('ways to sign in', readProvider);
  const task = useTask();
  if (provider === undefined || provider === null) return null;
  const words = `Sign in with ${provider.name}`;
  if (isInside) {
    // What was typed in this page stays.
    return (
      <p>
        <a class="button" href="./" target="_blank" rel="noopener">
          {words} in a new tab
        </a>
      </p>
    );
  }
  return (
    <div class="provider">
      <button
        type="button"
        class="main"
        disabled={task.isRunning}
        onClick={() => void task.run(() => goToProvider())}
      >
        {words}
      </button>
      <ErrorBox problem={task.problem} />
    </div>
  );
}

/** Finishes the sign-in as soon as it is known whether somebody is signed in already. */
export function ProviderReturn({ query }: { readonly query: string }) {
  const task = useTask();
  const isDecided = state.value !== 'unknown' && state.value !== 'remembered';
  useEffect(() => {
    if (isDecided) void task.run(() => returnFromProvider(query));
  }, [isDecided, query]);
  return (
    <main class="sign-in">
      <h1>Pinyon</h1>
      {task.problem === undefined ? (
        <p role="status">Signing in</p>
      ) : (
        <>
          <ErrorBox problem={task.problem} />
          <button type="button" onClick={dropCallback}>
            Go on
          </button>
        </>
      )}
    </main>
  );
}
