// Questions to an assistant, with the passages that its answers cite.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { ErrorBox } from '../../ui/feedback.tsx';
import { TextArea } from '../../ui/field.tsx';
import { PartHead } from '../../ui/page.tsx';
import { useTask } from '../../ui/task.ts';
import { PagePreview, type PagePreviewProps } from './page-preview.tsx';
import type { Answer, Citation } from './types.ts';

interface Turn {
  readonly question: string;
  readonly answer: Answer;
}

export function Chat({ name }: { readonly name: string }) {
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [question, setQuestion] = useState('');
  /** What is answered at the moment. */
  const [pending, setPending] = useState('');
  const task = useTask();
  const ask = async (event: Event) => {
    event.preventDefault();
    const asked = question.trim();
    if (asked === '' || task.isRunning) return;
    const isAnswered = await task.run(async () => {
      setQuestion('');
      setPending(asked);
      const messages = [
        ...turns.flatMap((turn) => [
          { role: 'user', content: turn.question },
          { role: 'assistant', content: turn.answer.message.content },
        ]),
        { role: 'user', content: asked },
      ];
      const path = `assistant/chat/${encodeURIComponent(name)}`;
      const answer = await call<Answer>('POST', path, { body: { messages, include_highlights: true } });
      setTurns([...turns, { question: asked, answer }]);
    });
    if (!isAnswered) setQuestion((typed) => (typed === '' ? asked : typed));
  };
  return (
    <section aria-label="Chat">
      <PartHead title="Questions" />
      <ol class="chat">
        {turns.map(({ question: asked, answer }, at) => (
          <li key={`${at} ${asked}`}>
            <p class="question">
              <bdi>{asked}</bdi>
            </p>
            <AnswerText answer={answer} />
            {answer.citations.map((citation, number) => (
              <Reference key={citation.position} {...{ name, citation }} number={number + 1} />
            ))}
          </li>
        ))}
        {task.isRunning && (
          <li>
            <p class="question">
              <bdi>{pending}</bdi>
            </p>
          </li>
        )}
      </ol>
      <form onSubmit={ask}>
        <TextArea label="Question" value={question} onValue={setQuestion} rows={2} onEnter={ask} />
        <ErrorBox problem={task.problem} />
        <div class="actions">
          <button type="submit" class="main" disabled={task.isRunning || question.trim() === ''}>
            {task.isRunning ? 'Waiting for the answer' : 'Ask'}
          </button>
        </div>
      </form>
    </section>
  );
}

/** The answer with the number of each citation at its position. */
function AnswerText({ answer: { message, citations } }: { readonly answer: Answer }) {
  let from = 0;
  return (
    <p class="answer">
      {citations.map(({ position }, at) => {
        const text = message.content.slice(from, position);
        from = position;
        return (
          <span key={position}>
            {text}
            <sup>[{at + 1}]</sup>
          </span>
        );
      })}
      {message.content.slice(citations.at(-1)?.position ?? 0)}
    </p>
  );
}

interface ReferenceProps {
  readonly name: string;
  readonly citation: Citation;
  readonly number: number;
}

function Reference({ name, citation, number }: ReferenceProps) {
  const [shown, setShown] = useState<Pick<PagePreviewProps, 'file' | 'passage'>>();
  return (
    <details class="reference">
      <summary>
        [{number}]{' '}
        {citation.references.map(({ file, pages }) => (
          <span key={`${file.id} ${pages}`}>
            <bdi>{file.name}</bdi> {pagesText(pages ?? [])}{' '}
          </span>
        ))}
      </summary>
      {citation.references.map(({ file, highlight }) => (
        <div key={`${file.id} ${highlight?.content}`}>
          {highlight && (
            <>
              <blockquote>
                <bdi>{highlight.content}</bdi>
              </blockquote>
              <button
                type="button"
                class="small"
                onClick={() => setShown({ file, passage: highlight.content })}
              >
                Show the page
              </button>
            </>
          )}
        </div>
      ))}
      {shown !== undefined && <PagePreview name={name} {...shown} onClose={() => setShown(undefined)} />}
    </details>
  );
}

function pagesText(pages: readonly number[]): string {
  if (pages.length === 0) return '';
  return `, ${pages.length === 1 ? 'page' : 'pages'} ${pages.join(', ')}`;
}
