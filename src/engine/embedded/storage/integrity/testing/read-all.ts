// Opens the store of the given path and reads and writes all of it, in a process that may end.
import { RecordStore } from '../../record-store.ts';

const [, , path = ''] = process.argv;
const store = new RecordStore(path);
let bytes = 0;
for (const database of [store.records.database, store.records.ids, store.numbers.database, store.freeRows])
  for (const { key, value } of database.getRange({})) {
    bytes += value.length;
    bytes += database.get(Buffer.from(key))?.length ?? 0;
  }
for (let i = 0; i < 50; i++)
  store.env.transactionSync(() => {
    store.records.put(2, i, {
      id: `new ${i}`,
      seq: i,
      sparse: null,
      metadataJson: 'x'.repeat(i * 100),
      rowSum: 0,
    });
    store.records.remove(1, i * 7, `record ${i * 7}`);
  });
await store.close();
process.stdout.write(`${bytes}\n`);
