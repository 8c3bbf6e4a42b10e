// Turns text that runs upwards, downwards or upside down, so that every line runs to the right.

/** One piece of text, as the PDF reader reports it. */
export interface PdfTextItem {
  readonly str: string;
  /** Scale, shear and position: [a, b, c, d, x, y], in points from the lower left corner. */
  readonly transform: readonly number[];
  readonly width: number;
  readonly hasEOL: boolean;
  /** The reader's name of the font. */
  readonly fontName?: string;
}

/** Quarter turns of the direction in which text runs: 0 to the right, 1 upwards, 2 to the left, 3 downwards. */
export type QuarterTurns = 0 | 1 | 2 | 3;

export interface DirectedItems {
  readonly turns: QuarterTurns;
  /** With positions as if the text ran to the right. */
  readonly items: readonly PdfTextItem[];
}

const ALL_TURNS = [0, 1, 2, 3] as const;

/** Groups the pieces of a page by their direction, that of most text first: stamps in a margin are lines of their own. */
export function byDirection(items: readonly PdfTextItem[]): readonly DirectedItems[] {
  const groups = new Map<QuarterTurns, PdfTextItem[]>();
  let turns: QuarterTurns = 0;
  for (const item of items) {
    // Blanks and line ends belong to the text before them.
    if (item.str.trim() !== '') turns = turnsOf(item);
    const group = groups.get(turns);
    if (group === undefined) groups.set(turns, [item]);
    else group.push(item);
  }
  return [...groups]
    .map(([each, own]) => ({ turns: each, items: each === 0 ? own : own.map((item) => upright(item, each)) }))
    .sort((a, b) => lengthOf(b.items) - lengthOf(a.items));
}

function turnsOf({ transform }: PdfTextItem): QuarterTurns {
  const [a = 0, b = 0] = transform;
  const quarters = Math.round((Math.atan2(b, a) * 2) / Math.PI);
  return ALL_TURNS[(quarters + 4) % 4] ?? 0;
}

function upright(item: PdfTextItem, turns: QuarterTurns): PdfTextItem {
  const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = item.transform;
  return { ...item, transform: [...turned(a, b, turns), ...turned(c, d, turns), ...turned(x, y, turns)] };
}

/** A point or vector, turned back by quarter turns. */
export function turned(x: number, y: number, turns: QuarterTurns): readonly [number, number] {
  if (turns === 1) return [y, -x];
  if (turns === 2) return [-x, -y];
  return turns === 3 ? [-y, x] : [x, y];
}

function lengthOf(items: readonly PdfTextItem[]): number {
  return items.reduce((sum, { str }) => sum + str.trim().length, 0);
}
