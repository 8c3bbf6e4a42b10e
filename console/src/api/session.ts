// The session of this browser: the token that no other origin has, who is signed in, and the project in view.
import { computed, signal } from '@preact/signals';

export interface Project {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly string[];
}

export interface Session {
  readonly principal: { readonly type: 'api_key' | 'user' | 'service_account'; readonly id: string };
  readonly user: string;
  readonly organization_id: string;
  readonly permissions: readonly string[];
  readonly projects: readonly Project[];
  readonly ends_at: string;
  readonly version: string;
}

const TOKEN = 'pinyon-session';
const PROJECT = 'pinyon-project';

/** `unknown` until the server was asked; `expired` while the page waits for a new sign-in. */
export const state = signal<'unknown' | 'out' | 'in' | 'expired'>('unknown');
export const session = signal<Session | null>(null);
const chosen = signal(localStorage.getItem(PROJECT) ?? '');

/** Grows when another tab of this browser signs in or out. */
export const otherTabs = signal(0);

addEventListener('storage', ({ key }) => {
  // Null when everything was removed.
  if (key === TOKEN || key === null) otherTabs.value++;
});

/** Null for somebody without a project. */
export const project = computed<Project | null>(() => {
  const { projects = [] } = session.value ?? {};
  return projects.find(({ id }) => id === chosen.value) ?? projects[0] ?? null;
});

/** Shared by the tabs of this origin; worth nothing without the cookie, which no page can read. */
export function token(): string | null {
  return localStorage.getItem(TOKEN);
}

export function keepToken(value: string | null): void {
  if (value === null) localStorage.removeItem(TOKEN);
  else localStorage.setItem(TOKEN, value);
}

export function chooseProject(id: string): void {
  localStorage.setItem(PROJECT, id);
  chosen.value = id;
}

/** True when the server would allow it in the project in view. It is asked all the same. */
export function may(permission: string): boolean {
  return project.value?.permissions.includes(permission) === true;
}

/** As `may`, in the organization as a whole. */
export function mayInOrganization(permission: string): boolean {
  return session.value?.permissions.includes(permission) === true;
}

/** As `may`, in the organization as a whole or in any of its projects. */
export function mayAnywhere(permission: string): boolean {
  const { projects = [] } = session.value ?? {};
  return (
    mayInOrganization(permission) || projects.some(({ permissions }) => permissions.includes(permission))
  );
}
