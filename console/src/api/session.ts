// The session of this browser: the token that no other origin has, who is signed in, and the project in view.
import { batch, computed, effect, signal } from '@preact/signals';
import { go, route, setValues, shared } from '../router.ts';

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
const HOLDER = 'pinyon-session-holder';
const PROJECT = 'pinyon-project';

/**
 * `unknown` until the server was asked; `remembered` while it is asked whether the session of an earlier page still
 * holds; `expired` while the page waits for a new sign-in.
 */
export const state = signal<'unknown' | 'remembered' | 'out' | 'in' | 'expired'>('unknown');
const current = signal<Session | null>(null);
export const session = computed(() => current.value);
/** Of this tab, so that a reload stays in the project; a new tab begins in that of the last choice in any. */
const chosen = signal(sessionStorage.getItem(PROJECT) ?? localStorage.getItem(PROJECT) ?? '');
sessionStorage.setItem(PROJECT, chosen.value);

/** Grows when another tab of this browser signs in or out. */
export const otherTabs = signal(0);

addEventListener('storage', ({ key }) => {
  // Null when everything was removed.
  if (key === TOKEN || key === null) otherTabs.value++;
});

const projects = computed(() => session.value?.projects ?? []);
/** Of the address of the page; empty where it names none. */
const addressed = computed(() => route.value.values.project ?? '');

/** That of the address, else that of the last choice; null for somebody without a project. */
export const project = computed<Project | null>(() => {
  const known = (wanted: string) => projects.value.find(({ id }) => id === wanted);
  return known(addressed.value) ?? known(chosen.value) ?? projects.value[0] ?? null;
});

/** True where the address names a project that is none of the holder's. */
export const isStrangeProject = computed(
  () => addressed.value !== '' && session.value !== null && addressed.value !== project.value?.id,
);

// With several projects, each address names the one in view, so that a link shows the same to others.
effect(() => {
  const { id } = project.value ?? {};
  const isNamed = projects.value.length > 1 && id !== undefined;
  shared.value = isNamed ? { project: id } : {};
  if (!isNamed) return;
  if (addressed.value === '') setValues({ project: id });
  else if (addressed.value === id) keepChoice(id);
});

/** Who acts, and in which project: what was begun for one of them never goes on for another. */
export interface Scope {
  readonly holder: string | undefined;
  readonly project: string | undefined;
}

export function scopeNow(): Scope {
  const { type, id } = session.value?.principal ?? {};
  return { holder: id === undefined ? undefined : `${type} ${id}`, project: project.value?.id };
}

export function isCurrent(scope: Scope): boolean {
  const now = scopeNow();
  return scope.holder === now.holder && scope.project === now.project;
}

/** Shared by the tabs of this origin; worth nothing without the cookie, which no page can read. */
export function token(): string | null {
  return localStorage.getItem(TOKEN);
}

export function keepToken(value: string): void {
  localStorage.setItem(TOKEN, value);
}

/** Begins the session, or goes on in it, as the server describes it now. */
export function describeSession(described: Session): void {
  localStorage.setItem(HOLDER, JSON.stringify(described));
  current.value = described;
}

/** Goes on as the last page was told, so that pages need not wait for the server. It still decides. */
export function rememberSession(): void {
  const described = remembered();
  if (described === null) return;
  current.value = described;
  state.value = 'remembered';
}

export function forgetSession(): void {
  localStorage.removeItem(TOKEN);
  localStorage.removeItem(HOLDER);
  current.value = null;
  state.value = 'out';
}

function remembered(): Session | null {
  try {
    const described: Session | null = JSON.parse(localStorage.getItem(HOLDER) ?? 'null');
    return described === null || Date.parse(described.ends_at) <= Date.now() ? null : described;
  } catch {
    return null;
  }
}

/** Goes to the first page of a project. */
export function chooseProject(id: string): void {
  localStorage.setItem(PROJECT, id);
  batch(() => {
    keepChoice(id);
    go([], { project: id });
  });
}

/** For this tab. */
function keepChoice(id: string): void {
  sessionStorage.setItem(PROJECT, id);
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
  return (
    mayInOrganization(permission) ||
    projects.value.some(({ permissions }) => permissions.includes(permission))
  );
}
