// Signing in: by API key, by e-mail address and password, by a service account, at an OpenID provider, or by the link of the first start.
import { useEffect, useState } from 'preact/hooks';
import { type Credential, signIn } from '../api/sign-in.ts';
import { hrefOf, route } from '../router.ts';
import { Choices } from '../ui/choices.tsx';
import { ErrorBox } from '../ui/feedback.tsx';
import { Input } from '../ui/field.tsx';
import { type Task, useTask } from '../ui/task.ts';
import { ProviderButton } from './provider-sign-in.tsx';

const WAYS = [
  { name: 'key', title: 'API key' },
  { name: 'person', title: 'Account' },
  { name: 'service', title: 'Service account' },
] as const;

type Way = (typeof WAYS)[number]['name'];

export function SignIn({ isInside = false }: { readonly isInside?: boolean }) {
  const [way, setWay] = useState<Way>('key');
  const task = useTask();
  const { code = '' } = route.value.values;
  useEffect(() => {
    if (code !== '') void redeem(task, code);
  }, [code]);
  const form = (
    <>
      <ProviderButton isInside={isInside} />
      <Choices
        label="How to sign in"
        choices={WAYS}
        chosen={way}
        onChoose={(name) => {
          setWay(name);
          task.clear();
        }}
      />
      <CredentialForm key={way} way={way} task={task} />
    </>
  );
  if (isInside) return form;
  return (
    <main class="sign-in">
      <h1>Pinyon</h1>
      {code !== '' && task.isRunning ? <p role="status">Signing in by the link</p> : form}
      <p class="quiet">
        The first start of the server prints a link that signs the owner in.{' '}
        <a href="docs">API documentation</a>
      </p>
    </main>
  );
}

/** The code leaves the address, so that it is in no history. */
async function redeem(task: Task, code: string): Promise<void> {
  history.replaceState(null, '', hrefOf([]));
  await task.run(() => signIn({ code }));
  // The router reads the address that has changed.
  dispatchEvent(new Event('hashchange'));
}

function CredentialForm({ way, task }: { readonly way: Way; readonly task: Task }) {
  const [name, setName] = useState('');
  const [secret, setSecret] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    void task.run(() => signIn(credentialOf(way, name.trim(), secret)));
  };
  return (
    <form onSubmit={submit}>
      {way === 'person' && (
        <Input
          label="E-mail address"
          type="email"
          value={name}
          onValue={setName}
          required
          autocomplete="username"
          autofocus
        />
      )}
      {way === 'service' && (
        <Input
          label="Client id"
          value={name}
          onValue={setName}
          required
          autocomplete="off"
          spellcheck={false}
          autofocus
        />
      )}
      <Input
        key={way}
        label={SECRETS[way]}
        type="password"
        value={secret}
        onValue={setSecret}
        required
        autocomplete={way === 'person' ? 'current-password' : 'off'}
        autofocus={way === 'key'}
      />
      <ErrorBox problem={task.problem} />
      <button type="submit" class="main" disabled={task.isRunning}>
        Sign in
      </button>
    </form>
  );
}

const SECRETS = { key: 'API key', person: 'Password', service: 'Client secret' };

function credentialOf(way: Way, name: string, secret: string): Credential {
  switch (way) {
    case 'key':
      return { api_key: secret.trim() };
    case 'person':
      return { email: name, password: secret };
    case 'service':
      return { client_id: name, client_secret: secret.trim() };
  }
}
