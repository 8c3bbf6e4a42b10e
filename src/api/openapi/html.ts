// HTML templates: every value is escaped unless it is markup from a template.

/** Text that is safe to send as HTML. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

export function html(pieces: TemplateStringsArray, ...values: readonly (string | Markup)[]): Markup {
  const texts = values.map((value) => (value instanceof Markup ? value.text : escapeHtml(value)));
  return new Markup(String.raw({ raw: pieces }, ...texts));
}

/** Text with parts in backticks, which become code. */
export function prose(text: string): Markup {
  const parts = text
    .split('`')
    .map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
  return join(parts);
}

export function join(parts: readonly Markup[]): Markup {
  return new Markup(parts.map(({ text }) => text).join(''));
}
