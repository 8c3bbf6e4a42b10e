// Plain text of manual pages: the one-line description of each, and the words of its body.
import { gunzipSync } from 'node:zlib';

export interface ManualPage {
  /** The one-line description of section NAME, without the page's name. */
  readonly summary: string;
  /** The sections after NAME, without headings of sections. */
  readonly body: string;
}

/** Null when the page has no description, or is an alias of another. */
export function readManualPage(file: Buffer): ManualPage | null {
  const lines = gunzipSync(file).toString('utf8').split('\n');
  const headings = [...lines.entries()].filter(([, line]) => /^\.\s*S[hH]\b/.test(line));
  const name = headings.findIndex(([, line]) => /\bNAME\b/.test(line));
  const [nameAt, bodyAt] = [headings[name]?.[0], headings[name + 1]?.[0]];
  if (name < 0 || nameAt === undefined || bodyAt === undefined) return null;
  const summary = summaryOf(lines.slice(nameAt + 1, bodyAt));
  const body = lines.slice(bodyAt).filter((line) => !/^\.\s*S[hH]\b/.test(line));
  return summary === '' ? null : { summary, body: plain(body) };
}

/** man: `name \- text`; mdoc: `.Nd text`. */
function summaryOf(lines: readonly string[]): string {
  const mdoc = lines.find((line) => line.startsWith('.Nd'));
  if (mdoc !== undefined) return plain([mdoc]);
  const joined = plain(lines.map((line) => line.replaceAll('\\-', '\u0001')));
  const dash = joined.indexOf('\u0001');
  return dash < 0
    ? ''
    : joined
        .slice(dash + 1)
        .replaceAll('\u0001', '-')
        .trim();
}

function plain(lines: readonly string[]): string {
  return lines
    .filter((line) => !/^[.']\s*(\\"|TH|Dd|Dt|Os|so|de|if|ie|el|ds|nr|ft|ne|in|ad|nh|hy|tr|\.)/.test(line))
    .map((line) => line.replace(/^[.'][ \t]*[A-Za-z]{1,3}\b/, '').replace(/\\f(\(..|\[[^\]]*\]|.)/g, ''))
    .map((line) => line.replace(/\\\((aq|cq|oq|lq|rq|dq)/g, "'").replace(/\\\(../g, ' '))
    .map((line) => line.replace(/\\[-e& |/^%]/g, (mark) => (mark === '\\-' ? '-' : '')))
    .map((line) =>
      line
        .replace(/\\s[-+]?\d+/g, '')
        .replace(/\\[*n](\(..|\[[^\]]*\]|.)/g, ' ')
        .replaceAll('\\', ''),
    )
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
}
