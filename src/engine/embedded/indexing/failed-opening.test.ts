// An index that cannot be opened is left closed, so that it can be opened later.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { isOpenHere } from '../../../platform/open-files.ts';
import { until } from '../../../platform/testing/until.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { Epochs } from '../memory/epochs.ts';
import { ROWS } from '../storage/index-files.ts';
import { RECORDS } from '../storage/integrity/sealed-records.ts';
import { NumberTable } from '../storage/number-table.ts';
import { breakMetaPage } from '../testing/break-meta-page.ts';
import { RandomRecords } from '../testing/random-records.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { openIndex } from './open-index.ts';

const PROFILE = sampleProfile({ dimension: 4 });

it('closes the files of an index whose first commit gives its store up, and opens it afterwards', async (test) => {
  const folder = tempFolder(test);
  const open = () =>
    openIndex(PROFILE, folder, { epochs: new Epochs(Epochs.allocate(1)), announce: () => {} });
  const { put } = NumberTable.prototype;
  const failing = test.mock.method(
    NumberTable.prototype,
    'put',
    function (this: NumberTable, ...given: Parameters<typeof put>) {
      if (given[0] === 'column-seed' && !breakMetaPage(join(folder, RECORDS))) throw new Error('no FFI');
      return put.apply(this, given);
    },
  );
  assert.throws(open, /error|no FFI/i);
  failing.mock.restore();
  const isOpen = () => [RECORDS, ROWS].some((name) => isOpenHere(join(folder, name)));
  await until(() => !isOpen(), 'the closing of its files');
  const index = open();
  await index.writer.upsert('n', new RandomRecords(PROFILE, 47).records(0, 10));
  assert.equal(index.files.store.namespaces.get('n')?.recordCount, 10);
  await index.close();
});
