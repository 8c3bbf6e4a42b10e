// Classifies HTML elements: which are skipped, which begin a block, which are headings.

/** The class of line breaks that end a page, in HTML converted from Word files. */
export const PAGE_BREAK_CLASS = 'page-break';

/** Elements whose content readers do not see as text. */
const SILENT = new Set(
  'script style noscript template svg math iframe object embed canvas audio video select datalist'.split(' '),
);

/** The title of a page ranks above its headings. */
const HEADINGS: Readonly<Record<string, number>> = { title: 1, h1: 1, h2: 2, h3: 3, h4: 4, h5: 5, h6: 6 };

const BLOCKS = new Set(
  (
    'html body p div section article main aside header footer nav blockquote figure figcaption address details ' +
    'summary form fieldset legend dl dt dd hr center dialog hgroup caption li ul ol menu table thead tbody tfoot tr pre ' +
    'title h1 h2 h3 h4 h5 h6'
  ).split(' '),
);

const HIDDEN_STYLE = /display\s*:\s*none|visibility\s*:\s*hidden/i;

export type Attributes = Readonly<Record<string, string>>;

/** Whether the text of an element is skipped, because a reader of the page does not see it either. */
export function isSilent(name: string, attributes: Attributes): boolean {
  return (
    SILENT.has(name) ||
    attributes.hidden !== undefined ||
    attributes['aria-hidden'] === 'true' ||
    HIDDEN_STYLE.test(attributes.style ?? '')
  );
}

export function headingLevel(name: string): number | undefined {
  return HEADINGS[name];
}

export function beginsBlock(name: string): boolean {
  return BLOCKS.has(name);
}

/** The kind of an element that is one block with everything in it. */
export function wholeKind(name: string): 'list' | 'table' | undefined {
  if (name === 'table') return 'table';
  return name === 'ul' || name === 'ol' || name === 'menu' ? 'list' : undefined;
}
