// Tools for language models: the address, what to copy into each client, and the tools by role.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { may, mayAnywhere, project } from '../../api/session.ts';
import { hrefOf } from '../../router.ts';
import { Choices } from '../../ui/choices.tsx';
import { CodeBox } from '../../ui/code.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Empty, Shown } from '../../ui/feedback.tsx';
import { Select } from '../../ui/field.tsx';
import { PageHead, PartHead } from '../../ui/page.tsx';
import { useResource } from '../../ui/resource.ts';
import { addressOf, CLIENTS, type ClientName, configurationOf } from './configurations.ts';
import { type Tool, ToolTable } from './tool-table.tsx';

interface Tools {
  readonly mode: 'read' | 'write' | 'off';
  readonly tools: readonly Tool[];
  readonly assistant_tools: readonly Tool[];
}

const PROJECT = { value: '', text: 'Everything in the project' };

export function McpScreen() {
  const mayRead = may('control_plane::indexes::describe');
  const tools = useResource(mayRead ? 'tools for language models' : '', (signal) =>
    call<Tools>('GET', 'console/mcp', { signal }),
  );
  if (!mayRead) return <Empty title="Your role sees no tools for language models." />;
  return (
    <>
      <PageHead title="Tools for language models (MCP)" />
      <Shown of={tools}>
        {(value) =>
          value.mode === 'off' ? (
            <Empty title="The server offers no tools: PINYON_MCP is off.">
              The command <code>pinyon mcp</code> works all the same.
            </Empty>
          ) : (
            <Connections tools={value} />
          )
        }
      </Shown>
    </>
  );
}

function Connections({ tools }: { readonly tools: Tools }) {
  const [assistant, setAssistant] = useState('');
  const isWhole = assistant === '';
  const address = addressOf(assistant);
  return (
    <>
      <p>
        Programs with language models search and read this server by the Model Context Protocol, with the
        rights of an API key. Give each a key of its own with a role that only reads.
        {mayAnywhere('admin::api_keys::write') && (
          <>
            {' '}
            <a href={hrefOf(['admin'])}>Make a key</a>
          </>
        )}
      </p>
      <AssistantChoice assistant={assistant} onAssistant={setAssistant} />
      <p class="secret">
        Address <code class="break">{address}</code> <CopyButton text={address} />
      </p>
      <Configurations assistant={assistant} />
      <section>
        <PartHead title="Tools" />
        {tools.mode === 'read' && isWhole && (
          <p class="quiet">Those that write are offered with the setting PINYON_MCP=write.</p>
        )}
        <ToolTable tools={isWhole ? tools.tools : tools.assistant_tools} />
      </section>
    </>
  );
}

interface AssistantChoiceProps {
  readonly assistant: string;
  readonly onAssistant: (name: string) => void;
}

function AssistantChoice({ assistant, onAssistant }: AssistantChoiceProps) {
  const mayList = may('control_plane::assistants::list');
  const assistants = useResource(mayList ? `assistants of ${project.value?.id}` : '', async (signal) => {
    const path = 'assistant/assistants';
    const all = await call<{ readonly assistants: readonly { readonly name: string }[] }>('GET', path, {
      signal,
    });
    return all.assistants.map(({ name }) => ({ value: name, text: `The assistant ${name} alone` }));
  });
  if ((assistants.value ?? []).length === 0) return null;
  return (
    <Select
      label="Tools for"
      value={assistant}
      choices={[PROJECT, ...(assistants.value ?? [])]}
      onValue={onAssistant}
    />
  );
}

function Configurations({ assistant }: { readonly assistant: string }) {
  const [client, setClient] = useState<ClientName>('claude-code');
  const configuration = configurationOf(client, assistant);
  return (
    <section>
      <PartHead title="Connect a client" />
      <Choices label="Client" choices={CLIENTS} chosen={client} onChoose={setClient} />
      {configuration === undefined ? (
        <p>
          <code>pinyon mcp</code> has the tools for everything in the project.
        </p>
      ) : (
        <CodeBox text={configuration.text}>
          <span class="quiet">{configuration.place}</span>
        </CodeBox>
      )}
      <p class="quiet">Put an API key in place of YOUR_API_KEY.</p>
    </section>
  );
}
