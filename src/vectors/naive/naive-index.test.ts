// The reference model keeps the contract that it is the reference for.
import { describeVectorContract } from '../contract-suite.ts';
import { NaiveIndex } from './naive-index.ts';

describeVectorContract('the reference model', async (profile) => {
  const index = new NaiveIndex(profile);
  return { reader: index, writer: index, close: async () => {} };
});
