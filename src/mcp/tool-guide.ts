// What people read of the tools: the part of each that is for them.
import type { ToolGuide, ToolSummary } from '../domain/tool-guide.ts';
import type { Tool } from './tool.ts';
import { toolsOfAssistant } from './tools/tools-of-assistant.ts';
import { PROJECT_TOOLS } from './tools.ts';

export function toolGuide(mode: ToolGuide['mode']): ToolGuide {
  return {
    mode,
    tools: PROJECT_TOOLS.tools.map(summaryOf),
    // The same for each assistant.
    assistantTools: toolsOfAssistant('').tools.map(summaryOf),
  };
}

function summaryOf({ name, title, effect, permission }: Tool): ToolSummary {
  return { name, title, effect, permission };
}
