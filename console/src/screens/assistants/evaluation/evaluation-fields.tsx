// The options of one configuration of an evaluation.
import type { Configuration } from '../../../../../src/domain/assistants/evaluation/configuration.ts';
import { Input } from '../../../ui/field.tsx';

/** As typed; empty for the preset. */
export interface TypedOptions {
  readonly assistant: string;
  readonly model: string;
  readonly topK: string;
  readonly snippetSize: string;
  readonly filter: string;
}

export function presetOptions(assistant: string): TypedOptions {
  return { assistant, model: '', topK: '', snippetSize: '', filter: '' };
}

/** @throws SyntaxError for a filter that is no JSON */
export function configurationOf(typed: TypedOptions): Configuration {
  const { assistant, model, topK, snippetSize, filter } = typed;
  return {
    assistant: assistant.trim(),
    ...(model.trim() === '' ? {} : { model: model.trim() }),
    ...(topK === '' ? {} : { top_k: Number(topK) }),
    ...(snippetSize === '' ? {} : { snippet_size: Number(snippetSize) }),
    ...(filter.trim() === '' ? {} : { filter: JSON.parse(filter) as unknown }),
  };
}

interface EvaluationFieldsProps {
  readonly title: string;
  readonly typed: TypedOptions;
  readonly onTyped: (typed: TypedOptions) => void;
  /** The first configuration is of the assistant in view. */
  readonly hasAssistant: boolean;
}

export function EvaluationFields({ title, typed, onTyped, hasAssistant }: EvaluationFieldsProps) {
  const set = (name: keyof TypedOptions) => (value: string) => onTyped({ ...typed, [name]: value });
  return (
    <fieldset class="schema">
      <legend>{title}</legend>
      <div class="bench-form">
        {hasAssistant && (
          <Input
            label="Assistant"
            value={typed.assistant}
            onValue={set('assistant')}
            required
            spellcheck={false}
          />
        )}
        <Input
          label="Model"
          placeholder="preset"
          value={typed.model}
          onValue={set('model')}
          spellcheck={false}
        />
        <Input
          label="Snippets (top_k)"
          type="number"
          min="1"
          placeholder="preset"
          value={typed.topK}
          onValue={set('topK')}
        />
        <Input
          label="Tokens of a snippet"
          type="number"
          min="1"
          placeholder="preset"
          value={typed.snippetSize}
          onValue={set('snippetSize')}
        />
        <Input
          label="Filter of files"
          placeholder='{"year": 2026}'
          value={typed.filter}
          onValue={set('filter')}
          spellcheck={false}
        />
      </div>
    </fieldset>
  );
}
