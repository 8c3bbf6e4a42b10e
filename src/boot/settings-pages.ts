// Documentation of the settings: the text of `pinyon settings` and the reference page, both generated from the settings table.
import { SETTINGS, type Setting } from './settings.ts';

const COLUMN_CHARS = 78;

/** What `pinyon settings --json` prints. */
export function settingsJson(): readonly Readonly<Record<string, string | null>>[] {
  return Object.values(SETTINGS).map((setting) => ({
    name: setting.env,
    form: setting.form,
    default: setting.presetShown ?? setting.preset ?? null,
    about: setting.about,
  }));
}

/** The text of `pinyon settings`. */
export function settingsText(): string {
  const settings = Object.values(SETTINGS).map(
    (setting) => `${setting.env} (${setting.form}; default: ${presetOf(setting)})\n${indent(setting.about)}`,
  );
  return ['The environment variables that configure the server:', '', ...settings].join('\n');
}

/** The page docs/reference/settings.md. */
export function settingsPage(): string {
  const rows = Object.values(SETTINGS).map(
    (setting) => `| \`${setting.env}\` | ${setting.form} | ${code(presetOf(setting))} | ${setting.about} |`,
  );
  return [
    '# Settings',
    '',
    'Generated from `src/boot/settings` by `npm run docs`; change it there.',
    '',
    'Pinyon is configured by environment variables. An empty variable counts as unset. A wrong value',
    'stops the start with exit code 2 and one line for each wrong variable.',
    '',
    '| Variable | Form | Default | |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function presetOf(setting: Setting<unknown>): string {
  return setting.presetShown ?? setting.preset ?? 'none';
}

function code(preset: string): string {
  const isPhrase = preset === 'none' || preset.includes(' ');
  return isPhrase ? preset : `\`${preset.replaceAll(',', ', ')}\``;
}

function indent(sentence: string): string {
  const lines: string[] = [];
  for (const word of sentence.replaceAll('`', '').split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= COLUMN_CHARS) lines.push(`      ${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join('\n');
}
