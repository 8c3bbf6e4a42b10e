// Tests the layout of PDF pages as several producers draw them: columns, turned pages, running heads, titles and tables.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DrawnLine, type DrawnPage, drawPdf, PRODUCERS, type Producer } from '../../testing/draw-pdf.ts';
import { outline, parsed } from '../../testing/parsed.ts';

async function outlineOf(pages: readonly DrawnPage[], producer: Producer = 'lines'): Promise<string[]> {
  return outline(await parsed('a.pdf', await drawPdf(pages, producer)));
}

const COLUMNS = [
  [
    'The first column tells of',
    'herons that stand in the',
    'shallow water of the lake',
    'and wait for hours.',
  ],
  [
    'The second is about moles',
    'which dig long tunnels in',
    'the garden and never see',
    'the light of the sun.',
  ],
  [
    'The third one is for bats',
    'that sleep under the roof',
    'of the old mill until the',
    'evening comes at last.',
  ],
] as const;
const GUTTER = 14;
const COLUMN_WIDTH = 128;

function columns(count: number, shift = 0): DrawnLine[][] {
  return COLUMNS.slice(0, count).map((lines, column) =>
    lines.map((text, at) => ({
      text,
      x: 60 + column * (COLUMN_WIDTH + GUTTER),
      y: 700 - at * 13 - column * shift,
    })),
  );
}

function expected(count: number): string[] {
  return COLUMNS.slice(0, count).map((lines) => `paragraph: ${lines.join(' ')}`);
}

for (const producer of PRODUCERS) {
  for (const count of [2, 3]) {
    test(`reads ${count} columns one after the other, drawn by ${producer}`, async () => {
      const all = columns(count);
      const byRow = COLUMNS[0].flatMap((_, at) => all.flatMap((lines) => lines[at] ?? []));
      assert.deepEqual(await outlineOf([{ lines: all.flat() }], producer), expected(count), 'by column');
      assert.deepEqual(await outlineOf([{ lines: byRow }], producer), expected(count), 'row by row');
      const reversed = all.toReversed().flat();
      assert.deepEqual(
        await outlineOf([{ lines: reversed }], producer),
        expected(count),
        'last column first',
      );
    });
  }

  test(`reads turned pages as upright ones, drawn by ${producer}`, async () => {
    for (const turn of [90, 180, 270] as const) {
      assert.deepEqual(
        await outlineOf([{ lines: columns(2).flat(), turn }], producer),
        expected(2),
        `${turn}`,
      );
    }
  });

  test(`reads the rows of a table with and without rules, drawn by ${producer}`, async () => {
    const cells = [
      ['Bird', 'Weight', 'Count'],
      ['Heron', '1.5 kg', '12'],
      ['Wren', '', '310'],
      ['Eagle', '4.2 kg', '2'],
    ];
    const lines = cells.flatMap((row, at) =>
      row.flatMap((text, column) => (text === '' ? [] : { text, x: 66 + column * 110, y: 700 - at * 20 })),
    );
    const rules = [-6, 14, 34, 54, 74].map((y) => [60, 634 + y, 330, 0.5] as const);
    const found = ['row: Bird: Heron; Weight: 1.5 kg; Count: 12', 'row: Bird: Wren; Count: 310'];
    for (const drawn of [{ lines }, { lines, rules }]) {
      const rows = await outlineOf([drawn], producer);
      assert.deepEqual(rows.slice(0, 2), found);
      assert.equal(rows.length, 3);
    }
  });
}

test('reads columns whose lines are drawn in turn at different heights', async () => {
  const all = columns(2, 5);
  const inTurn = COLUMNS[0].flatMap((_, at) => all.flatMap((lines) => lines[at] ?? []));
  assert.deepEqual(await outlineOf([{ lines: inTurn }]), expected(2));
});

test('reads a title over two columns and a note below them in their places, wherever the file draws them', async () => {
  const title = { text: 'Animals of the lake', x: 60, y: 760, size: 18 };
  const note = { text: 'This note below both columns is as wide as the page of text.', x: 60, y: 600 };
  const lines = [note, ...columns(2).toReversed().flat(), title];
  assert.deepEqual(await outlineOf([{ lines }]), [
    `heading1: ${title.text}`,
    ...expected(2),
    `paragraph: ${note.text}`,
  ]);
});

test('joins words that are divided at the ends of lines in columns', async () => {
  const lines = ['A heron is a long-leg-', 'ged bird of the shal-', 'lows.'].map((text, at) => ({
    text,
    x: 60,
    y: 700 - at * 13,
  }));
  assert.deepEqual(await outlineOf([{ lines }]), [
    'paragraph: A heron is a long-legged bird of the shallows.',
  ]);
});

const PAGES = Array.from({ length: 5 }, (_, at) => at + 1);
/** Text that differs from page to page. */
function body(page: number, from = 720): DrawnLine[] {
  return ['one', 'two', 'three', 'four'].map((word, at) => ({
    text: `On page ${page * 7} the lake has ${word} herons and a boat.`,
    x: 60,
    y: from - at * 13,
  }));
}

test('drops running heads and page numbers, also those that change with the page', async () => {
  const pages = PAGES.map((page) => ({
    lines: [
      { text: 'The Lake Handbook', x: 60, y: 800, size: 9 },
      { text: `Page ${page + 10} of 40`, x: 480, y: 800, size: 9 },
      ...body(page),
      { text: `- ${page + 10} -`, x: 290, y: 40 },
    ],
  }));
  const found = (await outlineOf(pages)).join('\n');
  assert.doesNotMatch(found, /Handbook|of 40|- 1\d -/);
  assert.equal(found.match(/boat/g)?.length, 20);
});

test('keeps what stands at the top of many pages and is no running head', async () => {
  const tops: ((page: number) => DrawnLine)[] = [
    (page) => ({ text: `Chapter ${page}`, x: 60, y: 780, size: 18 }),
    (page) => ({ text: `Fact ${page} is about herons.`, x: 60, y: 780 }),
    (page) => ({ text: `${page * page * 31} boats`, x: 60, y: 780 }),
  ];
  for (const top of tops) {
    const found = (await outlineOf(PAGES.map((page) => ({ lines: [top(page), ...body(page)] })))).join('\n');
    for (const page of PAGES) assert.ok(found.includes(top(page).text), top(page).text);
  }
});

test('keeps the only lines of pages, even if all of them are alike', async () => {
  const lines = [{ text: 'Nothing new.', x: 60, y: 700 }];
  assert.equal((await outlineOf(PAGES.map(() => ({ lines })))).length, 5);
});

test('finds bold titles of the size of the text, with the levels of their numbers', async () => {
  const lines = [
    { text: '2 Animals', x: 60, y: 780, bold: true },
    ...body(1, 760),
    { text: '2.1 Herons', x: 60, y: 680, bold: true },
    ...body(2, 660),
    { text: 'Moles', x: 60, y: 580, bold: true },
    ...body(3, 560),
  ];
  const titles = (await outlineOf([{ lines }])).filter((line) => line.startsWith('heading'));
  assert.deepEqual(titles, ['heading1: 2 Animals', 'heading2: 2.1 Herons', 'heading1: Moles']);
});

test('takes no bold line within a paragraph for a title', async () => {
  const lines = body(1).map((line, at) => ({ ...line, bold: at === 1 }));
  assert.equal((await outlineOf([{ lines }])).filter((line) => line.startsWith('heading')).length, 0);
});

test('joins wrapped cells, and names the columns of a table that goes on to the next page', async () => {
  const row = (cells: readonly string[], y: number, bold = false): DrawnLine[] =>
    cells.flatMap((text, column) => (text === '' ? [] : { text, x: 60 + column * 150, y, bold }));
  const first = [
    ...row(['Term', 'Meaning'], 700, true),
    ...row(['Sluice', 'A gate that'], 670),
    ...row(['', 'holds water back'], 658),
    ...row(['Weir', 'A low wall'], 628),
  ];
  const second = [...row(['Lock', 'Two gates'], 700), ...row(['Dam', 'A high wall'], 670)];
  assert.deepEqual(await outlineOf([{ lines: first }, { lines: second }]), [
    'row: Term: Sluice; Meaning: A gate that holds water back',
    'row: Term: Weir; Meaning: A low wall',
    'row: Term: Lock; Meaning: Two gates',
    'row: Term: Dam; Meaning: A high wall',
  ]);
});

test('divides cells at the rules between them, however close they are, and joins the lines of a cell', async () => {
  const cells: readonly (readonly [text: string, x: number, y: number])[] = [
    ['Bird', 63, 700],
    ['Weight', 103, 700],
    ['Grey', 63, 680],
    ['1.5', 103, 680],
    ['heron', 63, 668],
    ['Wren', 63, 648],
    ['0.01', 103, 648],
  ];
  const lines = cells.map(([text, x, y]) => ({ text, x, y }));
  const across = [712, 694, 662, 642].map((y) => [60, y, 80, 0.5] as const);
  const down = [60, 100, 140].map((x) => [x, 642, 0.5, 70] as const);
  const found = ['row: Bird: Grey heron; Weight: 1.5', 'row: Bird: Wren; Weight: 0.01'];
  for (const turn of [0, 90] as const) {
    const turned = ([x, y, width, height]: readonly [number, number, number, number]) =>
      turn === 0 ? ([x, y, width, height] as const) : ([842 - y - height, x, height, width] as const);
    const page = { lines, rules: [...across, ...down].map(turned), turn };
    assert.deepEqual(await outlineOf([page], 'words'), found, `${turn}`);
  }
});
