// What is used of the official MCP SDK. The packed package has it in one file, without the rest of its packages.
export { createMcpHandler, Server } from '@modelcontextprotocol/server';
export { serveStdio } from '@modelcontextprotocol/server/stdio';
