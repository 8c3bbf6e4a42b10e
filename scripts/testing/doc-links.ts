// Finds relative links of Markdown pages that lead nowhere.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FENCED_CODE = /^```[\s\S]*?^```/gm;
const CODE_SPAN = /`[^`\n]*`/g;
const LINK_TARGET = /\]\(([^()\s]+)\)/g;
const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const HEADING = /^#{1,6} +(.+)$/gm;
/** What GitHub drops from a heading to make its anchor. */
const NOT_IN_ANCHOR = /[^\p{L}\p{N}\s_-]/gu;

/** @returns each broken link as `page: target`; `pages` are paths below `root` */
export function brokenLinks(root: string, pages: readonly string[]): readonly string[] {
  return pages.flatMap((page) =>
    relativeTargets(readFileSync(join(root, page), 'utf8'))
      .filter((target) => !resolves(root, page, target))
      .map((target) => `${page}: ${target}`),
  );
}

function relativeTargets(markdown: string): readonly string[] {
  const prose = markdown.replace(FENCED_CODE, '').replace(CODE_SPAN, '');
  return [...prose.matchAll(LINK_TARGET)]
    .map(([, target = '']) => target)
    .filter((target) => !HAS_SCHEME.test(target));
}

function resolves(root: string, page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? join(root, page) : join(root, dirname(page), path);
  if (!existsSync(file)) return false;
  if (anchor === undefined || statSync(file).isDirectory() || !file.endsWith('.md')) return true;
  return anchorsOf(readFileSync(file, 'utf8')).has(anchor);
}

function anchorsOf(markdown: string): ReadonlySet<string> {
  const headings = markdown.replace(FENCED_CODE, '').matchAll(HEADING);
  return new Set([...headings].map(([, heading = '']) => anchorOf(heading)));
}

function anchorOf(heading: string): string {
  return heading.trim().toLowerCase().replace(NOT_IN_ANCHOR, '').replaceAll(' ', '-');
}
