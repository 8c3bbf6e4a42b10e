// Questions with a ground truth, a right answer in other words and a wrong one, of several kinds, to measure evaluation.

export interface Triples {
  readonly question: string;
  readonly truth: string;
  readonly right: string;
  readonly wrong: string;
}

type Row = readonly [question: string, truth: string, right: string, wrong: string];

/** The rules were tuned on these. */
const TUNED: readonly Row[] = [
  ['What is the capital of France?', 'The capital of France is Paris.', 'Paris.', 'London.'],
  ['What is 2 + 2?', '4', 'The answer is 4.', 'The answer is 5.'],
  [
    'What is the capital city of Spain?',
    'Madrid',
    'It is Madrid, in the middle of the country.',
    'Barcelona is the capital of Spain.',
  ],
  [
    'When was the lighthouse painted?',
    'In 1962 it was painted red.',
    'It was painted in 1962.',
    'It was painted in 1963.',
  ],
  [
    'How long is the warranty?',
    'The warranty lasts two years.',
    'You are covered for 24 months.',
    'You are covered for 12 months.',
  ],
  ['How tall is Mount Everest?', 'Mount Everest is 8,849 metres high.', 'About 8.8 km.', 'About 7.9 km.'],
  [
    'Did revenue rise or fall in the second quarter?',
    'Revenue rose by 5% in the second quarter.',
    'It increased five percent.',
    'It fell by 5%.',
  ],
  [
    'Who acquired Beta Corp?',
    'Alpha Inc acquired Beta Corp in 2019.',
    'Beta Corp was bought by Alpha Inc.',
    'Beta Corp acquired Alpha Inc.',
  ],
  [
    'Is the bridge open in winter?',
    'The bridge is not open in winter.',
    'No, it is closed then.',
    'Yes, it is open all year.',
  ],
  [
    'Are dogs allowed on the ferry?',
    'Dogs are allowed on the ferry if they are on a leash.',
    'Yes, on a leash.',
    'No, dogs are forbidden.',
  ],
  [
    'How many locks does the canal have?',
    'The canal has 14 locks of grey granite.',
    'There are fourteen locks.',
    'There are sixteen locks.',
  ],
  ['Which gas do plants take in?', 'Plants take in carbon dioxide.', 'Carbon dioxide', 'Oxygen'],
  [
    'Who wrote the handbook?',
    'The handbook was written by Ada Holm.',
    'Ada Holm is its author.',
    'Its author is Ben Strand.',
  ],
  [
    'What does the ferry cost?',
    'The ferry costs 12 crowns for adults and 6 for children.',
    'Adults pay 12 crowns, children 6.',
    'Adults pay 15 crowns, children 5.',
  ],
  [
    'What is the boiling point of water at sea level?',
    'Water boils at 100 degrees Celsius.',
    'It is 100 °C.',
    'It is 90 °C.',
  ],
  ['Where is the head office?', 'The head office is in Oslo, Norway.', 'In Oslo.', 'In Stockholm.'],
  [
    'Can refunds be requested after delivery?',
    'Refunds can be requested within 30 days after delivery.',
    'Yes, for 30 days.',
    'No, they cannot.',
  ],
  [
    'What colors does the flag have?',
    'The flag is red, white and blue.',
    'Blue, white and red.',
    'Green, white and red.',
  ],
  ['When does the shop close?', 'The shop closes at 6 pm.', 'At 18:00.', 'At 17:00.'],
  [
    'How far is the station from the hotel?',
    'The station is 1.5 km from the hotel.',
    'It is 1,500 meters away.',
    'It is 3 km away.',
  ],
  [
    'What happens when the battery is empty?',
    'The device shuts down and saves all open files.',
    'It saves the open files and shuts down.',
    'It keeps running on the charger.',
  ],
  [
    'Is smoking permitted in the building?',
    'Smoking is prohibited in the whole building.',
    'It is not allowed.',
    'It is allowed in the building.',
  ],
  [
    'Which is larger, Jupiter or Saturn?',
    'Jupiter is larger than Saturn.',
    'Saturn is smaller than Jupiter.',
    'Saturn is larger than Jupiter.',
  ],
  [
    'Why was the flight cancelled?',
    'The flight was cancelled because of heavy fog.',
    'Due to fog.',
    'Because of a strike of the crew.',
  ],
  [
    'Who is the chair of the board?',
    'Maria Lopez has chaired the board since 2018.',
    'Maria Lopez.',
    'John Carter.',
  ],
];

/** These were written before tuning, and looked at only for the figures. */
const HELD_OUT: readonly Row[] = [
  [
    'What is the capital of Japan?',
    'Tokyo is the capital of Japan.',
    "Japan's capital is Tokyo.",
    "Japan's capital is Kyoto.",
  ],
  [
    'How many employees does the firm have?',
    'The firm employs 1,200 people.',
    'It has twelve hundred employees.',
    'It has 2,100 employees.',
  ],
  ['When was the treaty signed?', 'The treaty was signed on 4 July 1901.', 'July 4, 1901', 'July 14, 1901'],
  [
    'Who invented the device?',
    'The device was invented by Nikola Brand.',
    'Nikola Brand invented it.',
    'Thomas Reed invented it.',
  ],
  ['Did profits increase last year?', 'Profits decreased last year.', 'No, they fell.', 'Yes, they grew.'],
  [
    'Does the plan include support?',
    'The plan includes support by e-mail.',
    'Yes, support by e-mail is included.',
    'No, support is excluded.',
  ],
  [
    'How much does the license cost?',
    'A license costs $99 a year.',
    '99 dollars per year.',
    '49 dollars per year.',
  ],
  [
    'Which river flows through Vienna?',
    'The Danube flows through Vienna.',
    'It is the Danube.',
    'It is the Rhine.',
  ],
  ['What share of voters took part?', 'Half of the voters took part.', '50 percent', '75 percent'],
  [
    'Who defeated the Falcons?',
    'The Tigers defeated the Falcons in the final.',
    'The Falcons were beaten by the Tigers.',
    'The Falcons beat the Tigers.',
  ],
  [
    'Where are the spare keys kept?',
    'The spare keys are kept in the drawer below the printer.',
    'In the drawer under the printer.',
    'In the cupboard beside the door.',
  ],
  [
    'How long does the trip take?',
    'The trip takes 90 minutes.',
    'One and a half hours, 90 minutes.',
    'It takes 45 minutes.',
  ],
  [
    'What should you do before cleaning the machine?',
    'Unplug the machine before cleaning it.',
    'First unplug it.',
    'Fill it with water.',
  ],
  [
    'Is the medicine safe for children?',
    'The medicine is not safe for children under six.',
    'No, not under six.',
    'Yes, it is safe for children of every age.',
  ],
  [
    'Which metal is used for the frame?',
    'The frame is made of aluminium.',
    'Aluminium is used.',
    'Steel is used.',
  ],
  [
    'What is the largest planet?',
    'Jupiter is the largest planet.',
    'The largest one is Jupiter.',
    'The largest one is Neptune.',
  ],
  ['What language do they speak in Brazil?', 'People in Brazil speak Portuguese.', 'Portuguese', 'Spanish'],
  [
    'How often is the report published?',
    'The report is published every three months.',
    'Every 3 months.',
    'Every 6 months.',
  ],
  [
    'When does the course begin?',
    'The course begins on Monday.',
    'It starts on Monday.',
    'It starts on Friday.',
  ],
  ['Is membership required?', 'Membership is optional.', 'No, it is not required.', 'Yes, it is mandatory.'],
  [
    'What causes the error?',
    'The error is caused by a missing file.',
    'A file is missing.',
    'The disk is full.',
  ],
  [
    'Who pays for shipping?',
    'The buyer pays for shipping.',
    'Shipping is paid by the buyer.',
    'Shipping is paid by the seller.',
  ],
  [
    'What is the population of the town?',
    'The town has about 3.4 million inhabitants.',
    'Roughly 3,400,000 people live there.',
    'Roughly 4.3 million people live there.',
  ],
  ['Does water expand when it freezes?', 'Water expands when it freezes.', 'Yes.', 'No.'],
  [
    'Which team won the cup in 2010?',
    'Spain won the cup in 2010.',
    'The cup went to Spain.',
    'The cup went to Brazil.',
  ],
];

/** Written after tuning, when the rules were final. */
const FRESH: readonly Row[] = [
  [
    'Which country hosted the games in 1988?',
    'South Korea hosted the games in 1988.',
    'They took place in South Korea.',
    'They took place in Japan.',
  ],
  [
    'How much sugar does the recipe need?',
    'The recipe needs 250 g of sugar.',
    'A quarter of a kilo, so 0.25 kg.',
    'You need 400 g.',
  ],
  [
    'Was the merger approved?',
    'The regulator approved the merger in May.',
    'Yes, in May.',
    'No, it was rejected.',
  ],
  [
    'Who teaches the evening class?',
    'Petra Novak teaches the evening class.',
    'It is taught by Petra Novak.',
    'It is taught by Ivan Horak.',
  ],
  [
    'What should be done after a spill?',
    'Ventilate the room and call the safety officer.',
    'Call the safety officer and ventilate the room.',
    'Sweep the powder into the sink.',
  ],
  ['How many votes did the proposal get?', 'The proposal got 312 votes.', '312', '213'],
  [
    'Did the temperature drop overnight?',
    'The temperature dropped to -4 degrees overnight.',
    'Yes, it fell to -4 degrees.',
    'No, it rose.',
  ],
  [
    'Where was the painting found?',
    'The painting was found in an attic in Lyon.',
    'In Lyon, in an attic.',
    'In a museum in Nice.',
  ],
  [
    'When does the permit expire?',
    'The permit expires on 31 December 2027.',
    'On December 31, 2027.',
    'On 31 December 2026.',
  ],
  ['Which planet is closest to the sun?', 'Mercury is the planet closest to the sun.', 'Mercury', 'Venus'],
  ['Who sued whom?', 'Northwind sued Contoso.', 'Contoso was sued by Northwind.', 'Contoso sued Northwind.'],
  [
    'What is the password rule?',
    'Passwords need at least 12 characters and one digit.',
    'At least twelve characters, with a digit among them.',
    'At least eight characters, without digits.',
  ],
];

const triplesOf = (rows: readonly Row[]): readonly Triples[] =>
  rows.map(([question, truth, right, wrong]) => ({ question, truth, right, wrong }));

export const TUNED_TRIPLES = triplesOf(TUNED);
export const HELD_OUT_TRIPLES = triplesOf(HELD_OUT);
export const FRESH_TRIPLES = triplesOf(FRESH);
