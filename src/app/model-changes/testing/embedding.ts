// What an index embeds by before its model is changed, in tests.

export const EMBED = {
  model: 'multilingual-e5-large',
  textField: 'text',
  writeParameters: { input_type: 'passage', truncate: 'END' },
  readParameters: { input_type: 'query', truncate: 'END' },
  source: { provider: 'test', revision: '1' },
  remaking: null,
};
