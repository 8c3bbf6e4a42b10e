// The reference model keeps the contract that it is the reference for.
import { type ContractIndex, describeVectorContract } from '../conformance/conformance-suite.ts';
import { exportNaive, importNaive } from './naive-copies.ts';
import { NaiveIndex } from './naive-index.ts';

describeVectorContract('the reference model', async (profile) => {
  return contractIndex(new NaiveIndex(profile));

  function contractIndex(index: NaiveIndex): ContractIndex {
    return {
      reader: index,
      writer: index,
      exported: async () => exportNaive(index, profile),
      imported: async (bytes, facts) => contractIndex(await importNaive({ ...profile, ...facts }, bytes)),
      close: async () => {},
    };
  }
});
