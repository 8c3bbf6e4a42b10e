// Questions about a PDF are answered with the right fact and page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chunkDocument } from '../../../../documents/chunks/chunk-document.ts';
import { CHUNK_OPTIONS } from '../../../../documents/chunks/chunk-model.ts';
import { makePdf } from '../../../../documents/testing/make-pdf.ts';
import { parsed } from '../../../../documents/testing/parsed.ts';
import { loadTokenCounter } from '../../../../documents/text/count-tokens.ts';
import { pagesOf, type RetrievedChunk } from '../answer-model.ts';
import { extractiveAnswer } from './extractive-answer.ts';
import { wordSimilarity } from './testing/word-similarity.ts';

/** Facts, two per page on ten pages, with a question for each and what its answer must contain. */
const FACTS = [
  ['The lighthouse of Varna was painted red in 1962.', 'When was the lighthouse painted red?', '1962'],
  ['Each warehouse stores at most 480 pallets.', 'How many pallets does a warehouse store?', '480'],
  ['Invoices are due after thirty days.', 'When are invoices due?', 'thirty days'],
  ['The chief engineer of the canal was Ada Holm.', 'Who was the chief engineer of the canal?', 'Ada Holm'],
  ['Pumps of type K7 run on 24 volts.', 'What voltage do pumps of type K7 run on?', '24 volts'],
  ['Visitors must wear yellow helmets in the foundry.', 'What must visitors wear in the foundry?', 'helmets'],
  ['The archive closes on Wednesdays at noon.', 'When does the archive close?', 'Wednesdays'],
  ['Leave requests go to the personnel office.', 'Where do leave requests go?', 'personnel office'],
  ['The warranty of a boiler lasts seven years.', 'How long does the warranty of a boiler last?', 'seven'],
  ['Chlorine is kept in the northern shed.', 'Where is chlorine kept?', 'northern shed'],
  ['The ferry to Brekke costs 12 crowns.', 'What does the ferry to Brekke cost?', '12 crowns'],
  ['Passwords expire after ninety days.', 'After how many days do passwords expire?', 'ninety'],
  ['The orchestra rehearses in the old granary.', 'Where does the orchestra rehearse?', 'granary'],
  ['Backups are written at two in the morning.', 'At what time are backups written?', 'two in the morning'],
  ['The bridge carries loads of up to 18 tonnes.', 'What loads does the bridge carry?', '18 tonnes'],
  ['Samples are cooled to minus forty degrees.', 'To what temperature are samples cooled?', 'forty'],
  ['The founder of the bakery came from Lyon.', 'Where did the founder of the bakery come from?', 'Lyon'],
  ['Membership costs 35 euro a year.', 'What does membership cost?', '35 euro'],
  ['Bicycles are repaired on the second floor.', 'Where are bicycles repaired?', 'second floor'],
  ['The turbine needs oil every 600 hours.', 'How often does the turbine need oil?', '600 hours'],
] as const;

const FILLER =
  'Much has been written about the region and its people, and more could be said about the weather there. ' +
  'Nothing in this part is of use to anyone who is looking for a plain fact, which is why it is here at all. ';

const RETRIEVED = 6;

test('answers at least 18 of 20 questions with the right fact and page', async () => {
  const pages = Array.from({ length: 10 }, (_, at) => ({
    paragraphs: FACTS.slice(at * 2, at * 2 + 2).map(
      ([fact]) => `${FILLER.repeat(3)}${fact} ${FILLER.repeat(2)}`,
    ),
  }));
  const document = await parsed('handbook.pdf', await makePdf(pages));
  const count = await loadTokenCounter();
  const chunks = [...chunkDocument(document, { ...CHUNK_OPTIONS, count })].map(
    (chunk): RetrievedChunk => ({ ...chunk, fileId: 'f', text: document.text.slice(chunk.start, chunk.end) }),
  );
  const isRight = async ([, question, fact]: (typeof FACTS)[number], at: number): Promise<boolean> => {
    const score = wordSimilarity(question);
    const rank = ({ text }: RetrievedChunk): number => -score(text);
    const found = chunks.toSorted((a, b) => rank(a) - rank(b)).slice(0, RETRIEVED);
    const { content, quotes } = await extractiveAnswer({ question, chunks: found }, wordSimilarity);
    const cited = quotes.flatMap((quote) => pagesOf(quote.passages[0]));
    return content.includes(fact) && cited.length === 1 && cited[0] === Math.floor(at / 2) + 1;
  };
  const answers = await Promise.all(FACTS.map(isRight));
  const right = answers.filter(Boolean).length;
  assert.ok(right >= 18, `${right} of ${FACTS.length}`);
});
