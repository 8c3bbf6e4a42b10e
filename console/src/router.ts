// The state of the page in the fragment of its address: a path and values. The server never sees either.
import { signal } from '@preact/signals';

export interface Route {
  /** Decoded segments; none for the first page. */
  readonly path: readonly string[];
  readonly values: Readonly<Record<string, string>>;
}

export const route = signal(readRoute());

/** Values that the address of each page has, unless it gives its own, as the project in view. */
export const shared = signal<Route['values']>({});

addEventListener('hashchange', () => {
  route.value = readRoute();
});

/** The address of a page; empty values are left out. */
export function hrefOf(path: readonly string[], values: Readonly<Record<string, string>> = {}): string {
  const all: Record<string, string> = { ...values };
  for (const [name, value] of Object.entries(shared.value)) all[name] ??= value;
  const query = new URLSearchParams(Object.entries(all).filter(([, value]) => value !== ''));
  const segments = path.map((each) => encodeURIComponent(each)).join('/');
  return `#/${segments}${query.size === 0 ? '' : `?${query}`}`;
}

export function go(path: readonly string[], values: Readonly<Record<string, string>> = {}): void {
  location.hash = hrefOf(path, values);
  // The browser tells of it later.
  route.value = readRoute();
}

/** Changes values of the page in view. Without `isStep`, the back button passes over the change. */
export function setValues(changed: Readonly<Record<string, string>>, isStep = false): void {
  // A change a moment ago may not have reached the page yet.
  const { path, values } = readRoute();
  const href = hrefOf(path, { ...values, ...changed });
  if (isStep) {
    location.hash = href;
    return;
  }
  history.replaceState(null, '', href);
  route.value = readRoute();
}

function readRoute(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  return {
    path: path
      .split('/')
      .filter((each) => each !== '')
      .map(decoded),
    values: Object.fromEntries(new URLSearchParams(query)),
  };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
