// The table of all commands: help texts, completion, the reference page and the parser are made from it. A command's
// code is loaded on use.
import type { CommandGroup } from '../command.ts';
import { administrationCommands } from './administration-commands.ts';
import { assistantCommands } from './assistant-commands.ts';
import { branchCommands } from './branch-commands.ts';
import { historyCommands } from './history-commands.ts';
import { indexCommands } from './index-commands.ts';
import { judgmentCommands } from './judgment-commands.ts';
import { memoryCommands } from './memory-commands.ts';
import { modelChangeCommands } from './model-change-commands.ts';
import { nodeCommands } from './node-commands.ts';
import { recallCommands } from './recall-commands.ts';
import { recordCommands } from './record-commands.ts';
import { fileCommands, monitoringCommands, toolCommands } from './server-commands.ts';
import { shellCommands } from './shell-commands.ts';
import { timeToLiveCommands } from './time-to-live-commands.ts';
import { transferCommands } from './transfer-commands.ts';

export const COMMAND_GROUPS: readonly CommandGroup[] = [
  { title: 'Indexes and namespaces', commands: indexCommands },
  { title: 'Models of indexes', commands: modelChangeCommands },
  { title: 'Time to live', commands: timeToLiveCommands },
  { title: 'Recall', commands: recallCommands },
  { title: 'Memory', commands: memoryCommands },
  { title: 'History', commands: historyCommands },
  { title: 'Branches', commands: branchCommands },
  { title: 'Records and documents', commands: recordCommands },
  { title: 'Judgments of searches', commands: judgmentCommands },
  { title: 'Assistants', commands: assistantCommands },
  { title: 'Copying data', commands: transferCommands },
  { title: 'Projects, keys and people', commands: administrationCommands },
  { title: 'Nodes with records of their own', commands: nodeCommands },
  { title: 'Watching', commands: monitoringCommands },
  { title: 'For language models', commands: toolCommands },
  { title: 'The server and its files', commands: fileCommands },
  { title: 'This command line', commands: shellCommands },
];
