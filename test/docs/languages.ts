// What the tests do with the code blocks of each language.

/** Run against a server. */
export const SHELL = ['sh'];
export const SCRIPTS = ['ts', 'js'];
/** Run by `npm run test:docs`, which installs what they need. */
export const INSTALLED = ['python', 'go'];
/** Parsed; after a shell block, compared with its answer. */
export const DATA = ['json'];
/** Shown, not run: pictures, output, and files of other programs. */
export const SHOWN = ['mermaid', 'text', 'nginx', 'java', 'yaml', 'ini'];

export const LANGUAGES: ReadonlySet<string> = new Set([
  ...SHELL,
  ...SCRIPTS,
  ...INSTALLED,
  ...DATA,
  ...SHOWN,
]);
