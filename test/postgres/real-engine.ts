// The engine on a real PostgreSQL with pgvector: the conformance suite of engines.
import { after } from 'node:test';
import { describeReaderAndWriter } from '../../src/engine/conformance/conformance-suite.ts';
import { describeEngine } from '../../src/engine/conformance/engines.ts';
import { indexOver } from '../../src/engine/conformance/over-engine.ts';
import { PostgresEngine } from '../../src/engine/postgres/postgres-engine.ts';
import { whyNoPgvector } from './pgvector.ts';
import { startPostgres, whyNotHere } from './server.ts';

const reason = whyNotHere() ?? whyNoPgvector();
if (reason === null) {
  const server = await startPostgres();
  after(() => server.stop());
  const make = async () => {
    const engine = await PostgresEngine.open({ url: await server.newDatabase(), connectionsMax: 8 });
    return { engine, close: () => engine.close() };
  };
  describeReaderAndWriter('the engine on PostgreSQL', indexOver(make), { hasDocuments: false });
  describeEngine('the engine on PostgreSQL', make);
} else {
  process.stdout.write(`SKIPPED: no PostgreSQL with pgvector can be run here: ${reason}\n`);
}
