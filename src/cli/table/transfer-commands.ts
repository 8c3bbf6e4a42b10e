// Entries of the table: commands that copy data in and out, and the jobs that do so.
import { type Command, RESUMABLE } from '../command.ts';
import { YES } from '../terminal/confirm.ts';

const JOB_CONTINUES = 'The job continues on the server.';
const NO_WAIT = { 'no-wait': { about: 'Return as soon as the job has started' } };

export const transferCommands: readonly Command[] = [
  {
    path: 'import',
    summary: 'Import files of a bucket, of the server or of this machine into an index',
    arguments: 'INDEX SOURCE',
    usages: ['INDEX URI [OPTIONS]', 'INDEX FILE [OPTIONS]'],
    about:
      'Imports URI/NAMESPACE/*.parquet, *.jsonl and *.jsonl.gz into the index, and waits until the import ends. URI is ' +
      "s3://BUCKET/FOLDER or file:///FOLDER on the server's machine, within its setting PINYON_IMPORT_FROM, or a " +
      'public bucket of AWS S3. A FILE of this machine, of at most 1 GiB, is sent to the server. Imports create their ' +
      "namespaces; 'pinyon record upsert' writes to existing ones.",
    options: {
      'on-error': {
        value: 'MODE',
        choices: ['continue', 'abort'],
        about: 'continue: skip invalid rows (default); abort: fail at the first',
      },
      namespace: {
        value: 'NAMESPACE',
        short: 'n',
        about: 'With FILE: the namespace (default __default__)',
      },
      columns: {
        value: 'PAIRS',
        about:
          'Fields of records whose columns or fields have other names in the files, as values=vector,id=key; further ones become metadata',
      },
      errors: { value: 'FILE', about: 'Write the skipped rows to FILE, one JSON object per line' },
      ...NO_WAIT,
    },
    examples: [
      'pinyon import films s3://my-bucket/films',
      'pinyon import films films.parquet --namespace drama --columns values=vector,id=key',
    ],
    partner: 'server',
    interrupted: JOB_CONTINUES,
    run: async (words, io) => (await import('../commands/import.ts')).importFiles(words, io),
  },
  {
    path: 'export',
    summary: 'Export an index to Parquet or JSONL files',
    arguments: 'INDEX',
    usages: ['INDEX --to FOLDER [OPTIONS]', 'INDEX --uri URI [OPTIONS]'],
    about:
      "Writes one consistent state of the index to files that 'pinyon import' can read, with a manifest of their " +
      'counts and checksums.',
    options: {
      to: {
        value: 'FOLDER',
        about: 'New or empty folder on this machine; downloads the files and verifies their checksums',
      },
      uri: {
        value: 'URI',
        about:
          "s3://BUCKET/FOLDER or file:///FOLDER on the server's machine, within its setting PINYON_EXPORT_TO",
      },
      namespace: { value: 'NAMESPACE', about: 'Only this namespace; __default__ for the default one' },
      format: {
        value: 'FORMAT',
        choices: ['parquet', 'jsonl'],
        about: 'parquet (default for vectors) or jsonl (default for documents)',
      },
      'no-wait': { about: 'With --uri: return as soon as the export has started' },
    },
    examples: ['pinyon export films --to ./films --format jsonl'],
    partner: 'server',
    interrupted: JOB_CONTINUES,
    run: async (words, io) => (await import('../commands/export.ts')).exportFiles(words, io),
  },
  {
    path: 'migrate',
    summary: 'Copy an index from another server or another vector database',
    arguments: 'SOURCE_INDEX [TARGET_INDEX]',
    about:
      'Copies an index of vectors or documents from the server at --from (the hosted service or any compatible one) to ' +
      'the server at --url, through the public API of both. Creates TARGET_INDEX (by default of the same name) if it ' +
      'does not exist. Run again after an interruption, it resumes. At the end it compares the counts of all ' +
      'namespaces and a sample of records.\n\n' +
      'From another vector database, SOURCE_INDEX is a collection, class, index or table, and --from begins with ' +
      'qdrant+http://, chroma+http://, weaviate+http://, milvus+http://, elasticsearch+http://, opensearch+http:// ' +
      '(or +https://) or postgres://. Its key, token or password is PINYON_FROM_API_KEY.',
    options: {
      from: { value: 'URL', about: 'Base address of the source (default https://api.pinecone.io)' },
      'from-key': { value: 'KEY', about: 'API key of the source (PINYON_FROM_API_KEY)' },
      vector: { value: 'NAME', about: 'Other databases: the vector to copy, where there are several' },
      metric: {
        value: 'METRIC',
        choices: ['cosine', 'dotproduct', 'euclidean'],
        about: 'Other databases: metric of the new index (default: as the source)',
      },
      namespace: {
        value: 'NAMESPACE',
        short: 'n',
        about: 'Other databases: target namespace (default __default__)',
      },
      tenant: { value: 'TENANT', about: 'Other databases: the tenant to copy (Chroma, Weaviate)' },
      'text-field': {
        value: 'FIELD[=TARGET]',
        about: 'Other databases: the field with the text, for a target index of texts or documents',
      },
      nested: {
        value: 'MODE',
        choices: ['dots', 'json'],
        about:
          'Other databases: nested objects become fields with dotted names (dots, default) or JSON texts (json)',
      },
      strict: { about: 'Other databases: fail at the first record that would not stay as it is' },
      'dry-run': {
        about: 'Write nothing, and say what would be copied; other databases are read whole, and losses told',
      },
      state: {
        value: 'FILE',
        about: 'File with the progress (default ./pinyon-migrate-TARGET_INDEX.json)',
      },
      pages: { value: 'N', about: 'Pages of 100 records copied at a time (default 4)' },
      cloud: {
        value: 'CLOUD',
        about: 'With --region: where to create the target index (default: as the source)',
      },
      region: { value: 'REGION', about: 'See --cloud' },
      'into-existing': { about: 'Write into a target index that has records' },
    },
    examples: [
      'pinyon migrate films --from https://api.pinecone.io --from-key "$THEIR_KEY"',
      'pinyon migrate films --from qdrant+http://localhost:6333 --dry-run',
    ],
    partner: 'server',
    interrupted: RESUMABLE,
    run: async (words, io) => (await import('../commands/migrate.ts')).migrate(words, io),
  },
  {
    path: 'backup create',
    summary: 'Create a backup of an index',
    arguments: 'INDEX',
    about: 'Creates a backup of an index while it is in use, and waits until it is Ready.',
    options: {
      name: { value: 'NAME', about: 'Name of the backup' },
      description: { value: 'TEXT', about: 'Description of the backup' },
      'no-wait': { about: 'Return as soon as the backup has started' },
    },
    partner: 'server',
    interrupted: JOB_CONTINUES,
    run: async (words, io) => (await import('../commands/backup.ts')).createBackup(words, io),
  },
  {
    path: 'backup list',
    summary: 'List the backups of the project, or of an index',
    arguments: '[INDEX]',
    partner: 'server',
    run: async (words, io) => (await import('../commands/backup.ts')).listBackups(words, io),
  },
  {
    path: 'backup describe',
    summary: 'Show a backup',
    arguments: 'BACKUP_ID',
    partner: 'server',
    run: async (words, io) => (await import('../commands/backup.ts')).describeBackup(words, io),
  },
  {
    path: 'backup delete',
    summary: 'Delete a backup',
    arguments: 'BACKUP_ID',
    options: YES,
    partner: 'server',
    run: async (words, io) => (await import('../commands/backup.ts')).deleteBackup(words, io),
  },
  {
    path: 'restore',
    summary: 'Create an index from a backup',
    arguments: 'BACKUP_ID NEW_INDEX',
    about: 'Creates the index NEW_INDEX from a backup, and waits until it is Ready.',
    options: {
      tag: {
        value: 'KEY=VALUE',
        isRepeated: true,
        about: 'Tag of the new index, in place of those of the backup; may be repeated',
      },
      'deletion-protection': { about: 'Protect the new index from deletion' },
      'no-wait': { about: 'Return as soon as the restore has started' },
    },
    partner: 'server',
    interrupted: JOB_CONTINUES,
    run: async (words, io) => (await import('../commands/restore.ts')).restore(words, io),
  },
  {
    path: 'jobs',
    summary: 'List imports, exports, restores and backups with their progress',
    arguments: '[INDEX]',
    about:
      'Lists the imports and exports of an index; without one, those of all indexes, and the restore jobs, the recoveries ' +
      'of indexes and the backups of the project that are being made or have failed. Newest first, with the reason of ' +
      'each failure.',
    partner: 'server',
    run: async (words, io) => (await import('../commands/jobs.ts')).jobs(words, io),
  },
  {
    path: 'jobs cancel',
    summary: 'Cancel an import or an export',
    arguments: 'INDEX JOB_ID',
    about: 'Ends an import or an export that is running, and removes what it has written.',
    options: YES,
    partner: 'server',
    run: async (words, io) => (await import('../commands/jobs.ts')).cancelJob(words, io),
  },
  {
    path: 'reembed',
    summary: 'Re-embed an index or an assistant after its models have changed',
    arguments: 'NAME',
    usages: ['INDEX [--no-wait]', 'ASSISTANT --assistant [--no-wait]'],
    about:
      'Embeds the stored text of every record of an index again with its current model, unless that has made its ' +
      'vectors already. The server keeps running meanwhile; until it is done, text writes and text searches of this ' +
      'index are refused. Safe to repeat; resumes by itself after a restart. Records without a text keep their vectors.\n\n' +
      'With --assistant, parses and embeds the stored bytes of every file again, where the models have changed. A file is Processing until that is ' +
      'done, and searchable from then on; one that cannot be parsed reports the reason and keeps its bytes.',
    options: {
      assistant: { about: 'The name is that of an assistant' },
      'no-wait': { about: 'Return as soon as it has started' },
    },
    partner: 'server',
    interrupted: JOB_CONTINUES,
    run: async (words, io) => (await import('../commands/reembed.ts')).reembed(words, io),
  },
];
