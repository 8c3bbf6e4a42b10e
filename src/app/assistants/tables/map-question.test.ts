// Tests which questions are computed over a table, in English and German, and which are left to the passages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeXlsx, sheetRow } from '../../../documents/testing/make-office.ts';
import { parsed } from '../../../documents/testing/parsed.ts';
import { computed } from './compute-query.ts';
import { asksForTable, mapQuestion } from './map-question.ts';
import { readTable } from './table-columns.ts';

const ORDERS = `order_id,city,country,status,amount,date,customer
1,Berlin,DE,shipped,120.50,2024-01-15,Ann Lee
2,Rome,IT,shipped,80,2024-03-02,Bob
3,Berlin,DE,open,99.99,2023-11-30,Ann Lee
4,Berlin,DE,shipped,340.01,2024-03-20,Cy
5,New York,US,open,100,2023-06-01,Bob
6,Rome,IT,cancelled,,2024-07-07,Dee
`;
const VERKAUF = `Stadt;Menge;Umsatz;Datum
Köln;3;"1.200,50 €";05.03.2024
Bonn;7;"800,25 €";17.08.2023
Köln;1;"90,00 €";01.12.2024
Summe;11;"2.090,75 €";
`;

async function answersOf(
  name: string,
  content: string | Uint8Array,
): Promise<(question: string) => Promise<string | null>> {
  const [table] = (await parsed(name, content)).tables ?? [];
  assert.ok(table);
  const read = await readTable(table);
  return async (question) => {
    const query = await mapQuestion(question, read, [name, table.name]);
    return query === null ? null : computed(query, read, name);
  };
}

const answer = await answersOf('orders.csv', ORDERS);

for (const [question, result] of [
  ['How many orders from Berlin are over 100 euros?', '2 rows have amount > 100 and city = Berlin.'],
  [
    'What is the total of the column amount in 2024?',
    'the sum of amount is 540.51, over the 4 rows with year of date = 2024; 1 row has no number there.',
  ],
  ['How many orders are there?', '6 rows.'],
  ['How many orders are there in total?', '6 rows.'],
  ['How many orders have the status open?', '2 rows have status = open.'],
  ['How many orders are from New York?', '1 row has city = New York.'],
  ['How many rows are there since 2024?', '4 rows have year of date >= 2024.'],
  ['How many orders in March 2024?', '2 rows have month of date = 3 and year of date = 2024.'],
  ['How many different cities are there?', '3 different values of city.'],
  ['How many of the cities are there in total?', '3 different values of city.'],
  ['What is the number of the different amounts?', '5 different values of amount.'],
  [
    'How many customers are from Berlin?',
    '2 different values of customer, over the 3 rows with city = Berlin.',
  ],
  ['How many orders are between 80 and 100 euros?', '3 rows have amount >= 80 and amount <= 100.'],
  [
    'What is the average amount of shipped orders?',
    'the average of amount is 180.17, over the 3 rows with status = shipped.',
  ],
  [
    'What is the highest amount?',
    'the greatest amount is 340.01; 1 row has no number there; in 1 row: order_id: 4; city: Berlin; country: DE; status: shipped; amount: 340.01; date: 2024-03-20; customer: Cy.',
  ],
  [
    'What was the lowest amount in IT?',
    'the least amount is 80, over the 2 rows with country = IT; 1 row has no number there; in 1 row: order_id: 2; city: Rome; country: IT; status: shipped; amount: 80; date: 2024-03-02; customer: Bob.',
  ],
  [
    'Which orders from Rome are cancelled?',
    '1 row has city = Rome and status = cancelled:\n- order_id: 6; city: Rome; country: IT; status: cancelled; date: 2024-07-07; customer: Dee',
  ],
  [
    'What is the sum of amount for Ann Lee?',
    'the sum of amount is 220.49, over the 2 rows with customer = Ann Lee.',
  ],
  ['How many orders have an amount of at least 100?', '3 rows have amount >= 100.'],
] as const) {
  test(`computes: ${question}`, async () => {
    assert.equal(await answer(question), `Computed over all 6 rows of orders.csv: ${result}`);
  });
}

for (const question of [
  'How many orders are not from Berlin?',
  'How many orders are from Berlin or Rome?',
  'What is the total amount per city?',
  'What is the average amount of each customer?',
  'How many orders came from Paris?',
  'How many locks does the canal have?',
  'How many products were sold in Berlin?',
  'What is the total?',
  'What is the total discount?',
  'How many orders are over 1,000 euros?',
  'How many orders are over 100 kg?',
  'How many orders have a status?',
  'How many have a status?',
  'What is the highest amount that has a customer?',
  'Which orders with a customer have the status open?',
  'Was ist der höchste Wert von amount, die einen customer haben?',
  'How many orders have an order_id?',
  'How many orders have different amounts?',
  'How many shipped orders have a customer?',
  'What is the number of orders with a city?',
  'What is the lowest amount by city?',
  'What is the lowest amount by the different cities?',
  'How many orders by status?',
  'What is the total amount by order?',
  'Which customers have more than 1 order?',
  'Which orders are there?',
  'What is the highest building in Berlin?',
  'How many orders were shipped after Easter?',
  'How many orders were placed by women?',
  'What is the average city?',
  'How many order_id and customer are there?',
  'How many orders from Berlin were delivered late?',
  'Is the total amount over 100 euros?',
]) {
  test(`leaves to the passages: ${question}`, async () => {
    assert.equal(await answer(question), null);
  });
}

test('computes questions in German, with numbers and dates as they are written there, and without rows of totals', async () => {
  const ask = await answersOf('Verkäufe.csv', VERKAUF);
  const begin = 'Berechnet über alle 3 Zeilen von Verkäufe.csv (ohne 1 Summenzeile): ';
  for (const [question, result] of [
    ['Wie hoch ist der gesamte Umsatz in Köln?', null],
    ['Was ist die Summe der Spalte Umsatz?', 'die Summe von Umsatz ist €2090,75.'],
    ['Wie viele Verkäufe gab es in Köln?', '2 Zeilen mit Stadt = Köln.'],
    ['Wie viele Zeilen haben einen Umsatz über 100 Euro?', '2 Zeilen mit Umsatz > 100.'],
    ['Wie viele Verkäufe gab es im Jahr 2024?', '2 Zeilen mit Jahr von Datum = 2024.'],
    ['Was ist die durchschnittliche Menge?', 'der Durchschnitt von Menge ist etwa 3,666667.'],
    [
      'Was ist der höchste Umsatz in Bonn?',
      'der größte Wert von Umsatz ist €800,25, über 1 Zeile mit Stadt = Bonn; in 1 Zeile: Stadt: Bonn; Menge: 7; Umsatz: 800,25 €; Datum: 17.08.2023.',
    ],
    ['Wie viele Verkäufe gab es nicht in Köln?', null],
    ['Was ist die Summe von Umsatz pro Stadt?', null],
  ] as const) {
    assert.equal(await ask(question), result === null ? null : begin + result, question);
  }
});

const YEARS = `id,day,amount
1,2021-03-01,1
2,2022-03-02,2
3,2023-03-03,4
4,2023-04-04,8
5,2024-03-05,16
6,2025-06-06,32
`;

test('computes years from one to another with both of them, and an open range to its end', async () => {
  const ask = await answersOf('orders.csv', YEARS);
  for (const [question, result] of [
    [
      'Wie viele Zeilen gab es von 2022 bis 2024?',
      '4 Zeilen mit Jahr von day >= 2022 und Jahr von day <= 2024.',
    ],
    [
      'Wie viele Zeilen gab es von 2022 bis zu 2024?',
      '4 Zeilen mit Jahr von day >= 2022 und Jahr von day <= 2024.',
    ],
    ['How many orders from 2022 to 2024?', '4 rows have year of day >= 2022 and year of day <= 2024.'],
    ['How many orders between 2022 and 2024?', '4 rows have year of day >= 2022 and year of day <= 2024.'],
    ['How many orders since 2022 until 2024?', '4 rows have year of day >= 2022 and year of day <= 2024.'],
    ['How many orders after 2022 and before 2024?', '2 rows have year of day > 2022 and year of day < 2024.'],
    [
      'What is the sum of amount from 2023 up to 2024?',
      'the sum of amount is 28, over the 3 rows with year of day >= 2023 and year of day <= 2024.',
    ],
    ['How many orders from 2023 on?', '4 rows have year of day >= 2023.'],
    ['How many orders from 2023 and onwards?', '4 rows have year of day >= 2023.'],
    ['Wie viele Zeilen gab es von 2023 an?', '4 Zeilen mit Jahr von day >= 2023.'],
    ['How many orders from 2023?', '2 rows have year of day = 2023.'],
    ['How many orders were in 2023 in March?', '1 row has year of day = 2023 and month of day = 3.'],
  ] as const) {
    const found = await ask(question);
    assert.equal(found?.replace(/^.*orders\.csv: /, '') ?? null, result, question);
  }
});

test('leaves to the passages what may be one time or several', async () => {
  const ask = await answersOf('orders.csv', YEARS);
  for (const question of [
    'How many orders from March 2024 on?',
    'How many orders from March to April?',
    'How many orders from March until 2024?',
    'How many orders were in 2023 and in 2024?',
    'How many orders were in March and in April?',
    'How many orders were in 2024 and in March?',
    'How many orders were in March 2023 and in March 2024?',
    'How many orders were in 2022 until 2024?',
    'How many orders were in 2023 on?',
    'How many orders as of 2023?',
    'How many orders from 2024 to 2022?',
    'How many orders after 2022 and before 2023?',
    'How many orders from 2022 in 2024?',
    'Wie viele Zeilen gab es in 2023 und in 2024?',
  ]) {
    assert.equal(await ask(question), null, question);
  }
});

test('leaves a word to the passages that may be a value and may say nothing', async () => {
  const states =
    'device,state,Zustand,room,watts\n1,on,An,A,5\n2,off,Aus,B,9\n3,on,An,C,7\n4,on hold,Aus,B,2\n';
  const ask = await answersOf('devices.csv', states);
  for (const question of [
    'How many devices are on?',
    'How many devices are on in room B?',
    'Wie viele Zeilen sind aus?',
    'Wie viele Zeilen sind an und haben room C?',
    'What is the highest watts that is on?',
    'What is the total watts for A and B?',
    'HOW MANY DEVICES ARE ON?',
  ]) {
    assert.equal(await ask(question), null, question);
  }
  assert.match((await ask('How many devices are off?')) ?? '', /: 1 row has state = off\.$/);
  assert.match((await ask('How many devices are on hold?')) ?? '', /: 1 row has state = on hold\.$/);
  assert.match((await ask('What is the total watts of a row in B?')) ?? '', /is 11, .* room = B\.$/);
});

test('takes a word for a code in capitals where it cannot lead to the next word', async () => {
  const ask = await answersOf(
    'orders.csv',
    'city,code,amount\nPune,IN,1\nBari,IT,2\nVigo,ES,4\nBrest,BY,8\n',
  );
  for (const [question, result] of [
    ['How many orders in Pune?', '1 row has city = Pune.'],
    ['How many orders are there in the city Pune?', '1 row has city = Pune.'],
    ['How many orders are in IN?', '1 row has code = IN.'],
    ['Wie viele Zeilen gibt es?', '4 Zeilen.'],
    ['How many orders are in?', null],
    ['How many in orders are there?', null],
    ['How many orders are from it and over 1 euro?', null],
    ['How many orders are from BY?', null],
    ['HOW MANY ORDERS FROM IT?', null],
  ] as const) {
    const found = await ask(question);
    assert.equal(found?.replace(/^.*orders\.csv: /, '') ?? null, result, question);
  }
});

test('takes no verb for a code in capitals before a word that says nothing', async () => {
  const csv = 'iata,city\nARE,Arecibo\nDO,Rome\nON,Rome\n';
  const ask = await answersOf('airports.csv', csv);
  assert.match((await ask('How many airports are in Rome?')) ?? '', /: 2 rows have city = Rome\.$/);
  assert.match((await ask('How many airports do we have in Rome?')) ?? '', /: 2 rows have city = Rome\.$/);
  for (const question of ['How many airports are?', 'How many airports are on in Rome?'])
    assert.equal(await ask(question), null, question);
});

test('names the row of an extreme by the column that the question asks for', async () => {
  for (const question of [
    'Which city has the highest amount?',
    'What is the customer with the highest amount?',
    'Welcher customer hat das höchste amount?',
  ]) {
    assert.match((await answer(question)) ?? '', /340[.,]01/, question);
  }
});

test('looks at tables only for questions that may ask for them', () => {
  assert.equal(asksForTable('Who was the first harbor master?'), false);
  assert.equal(asksForTable('Why is the water green?'), false);
  assert.equal(asksForTable('How many orders are open?'), true);
});

test('takes no text of more than 40 words or 4,000 characters for a question about a table', () => {
  const question = `How many${' heron'.repeat(38)}`;
  assert.equal(asksForTable(question), true);
  for (const rest of [' heron', ' heron'.repeat(65_000), '-'.repeat(400_000), `s${' '.repeat(4_000)}`])
    assert.equal(asksForTable(question + rest), false);
});

test('does not count with cells of two numbers', async () => {
  const rows = ['<th>part<th>price<th>size', '<td>a<td>10<br>20<td>1', '<td>b<td>3<td>2'];
  const ask = await answersOf(
    'parts.html',
    `<table>${rows.map((row) => `<tr>${row}</tr>`).join('')}</table>`,
  );
  assert.equal(await ask('What is the sum of price?'), null);
  assert.match((await ask('What is the sum of size?')) ?? '', /is 3\.$/);
});

test('does not count with identifiers, mixed units or numbers whose decimals are unclear', async () => {
  const csv = 'code,weight,size,price\n001,5 kg,"1,234",2\n002,500 g,"2,345",3\n';
  const ask = await answersOf('parts.csv', csv);
  for (const column of ['code', 'weight', 'size'])
    assert.equal(await ask(`What is the sum of ${column}?`), null);
  assert.match((await ask('What is the sum of price?')) ?? '', /is 5\.$/);
});

test('reads a text like 1.234 of JSON and sheets only where other cells decide, and their numbers always', async () => {
  const sumOf = async (name: string, content: string | Uint8Array) =>
    /is ([\d.]*\d)/.exec((await (await answersOf(name, content))('What is the sum of amount?')) ?? '')?.[1];
  const sheet = (...cells: readonly string[]) => {
    const rows = cells.map((cell) => `<row><c t="inlineStr"><is><t>x</t></is></c>${cell}</row>`).join('');
    return makeXlsx([{ name: 'S', rows: sheetRow('name', 'amount') + rows }], {
      texts: '<si><t>1.234</t></si>',
    });
  };
  const json = (...amounts: readonly string[]) =>
    `{"all":[${amounts.map((amount) => `{"amount":${amount}}`)}]}`;
  const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`;
  assert.equal(await sumOf('a.json', json('"1.234"', '"2.500"')), undefined);
  assert.equal(await sumOf('a.json', json('"-1.234"', '2.500')), undefined);
  assert.equal(await sumOf('a.json', json('["1.234"]', '1')), undefined);
  assert.equal(await sumOf('a.json', json('"1.234"', '"2.500,50"')), '3734.5');
  assert.equal(await sumOf('a.json', json('1.234', '2.500')), '3.734');
  assert.equal(await sumOf('a.json', json('"1.5"', '2.500')), '4');
  assert.equal(await sumOf('a.json', '{"amount":1.234}\n{"amount":2.500}'), '3.734');
  assert.equal(await sumOf('a.xlsx', sheet(text('1.234'), text('2.500'))), undefined);
  assert.equal(await sumOf('a.xlsx', sheet('<c t="s"><v>0</v></c>', '<c><v>1</v></c>')), undefined);
  assert.equal(await sumOf('a.xlsx', sheet('<c t="str"><f>A1</f><v>1.234</v></c>')), undefined);
  assert.equal(await sumOf('a.xlsx', sheet('<c><v>1.234</v></c>', '<c><v>2.5</v></c>')), '3.734');
  assert.equal(await sumOf('a.xlsx', sheet('<c><v>1.234</v></c>', '<c><v>2.555</v></c>')), '3.789');
});

test('computes over all rows of a sheet that a merged text is shown for', async () => {
  const [first, second, third] = ['10', '20', '30'].map((sales) => `<c><v>${sales}</v></c></row>`);
  const text = (content: string) => `<c t="inlineStr"><is><t>${content}</t></is></c>`;
  const rows =
    sheetRow('Region', 'City', 'Sales') +
    `<row>${text('Europe')}${text('Rome')}${first}<row><c/>${text('Oslo')}${second}<row><c/>${text('Bern')}${third}`;
  const answerOf = await answersOf('s.xlsx', makeXlsx([{ name: 'Figures', rows, merged: ['A2:A4'] }]));
  assert.match((await answerOf('What is the sum of Sales in Europe?')) ?? '', /the sum of Sales is 60,/);
});
