// Reads the code blocks of a Markdown page, and what its comments say about them.

/** One fenced block, or a setup in a comment, which only tests run. */
export interface Block {
  /** The first word of the fence; empty where the fence has none. */
  readonly language: string;
  readonly code: string;
  /** Of its fence or comment, from 1. */
  readonly line: number;
  /** Why tests do not run it; a comment above it says so: `<!-- not run: REASON -->`. */
  readonly notRun: string | null;
  readonly isSetup: boolean;
  /** True where nothing stands between it and the block before: JSON then shows that block's answer. */
  readonly follows: boolean;
}

const PART =
  /^```(?<language>[\w-]*)\n(?<code>.*?)^```$|^<!-- (?:not run: (?<reason>.+?)|setup\n(?<setup>.*?)) ?-->$/gms;

/** The blocks in the order of the page. */
export function blocksOf(markdown: string): readonly Block[] {
  const blocks: Block[] = [];
  let notRun: string | null = null;
  let end = -1;
  for (const match of markdown.matchAll(PART)) {
    const { language = '', code, reason, setup } = match.groups ?? {};
    const start = match.index;
    const line = markdown.slice(0, start).split('\n').length;
    const follows = end >= 0 && markdown.slice(end, start).trim() === '';
    end = start + match[0].length;
    if (reason !== undefined) notRun = reason.replaceAll(/\s+/g, ' ').trim();
    else {
      const isSetup = setup !== undefined;
      blocks.push({
        language: isSetup ? 'ts' : language,
        code: setup ?? code ?? '',
        line,
        notRun,
        isSetup,
        follows,
      });
      notRun = null;
    }
  }
  return blocks;
}
