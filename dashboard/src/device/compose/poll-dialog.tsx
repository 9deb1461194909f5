/** The dialog for a poll: a question and 2 to 12 options. */
import { type FormEvent, useState } from 'react';
import { texts } from '../../base/texts.ts';
import { Field } from '../../ui/parts.tsx';
import type { Content } from './draft.ts';
import { SendDialog } from './send-dialog.tsx';

const words = texts.compose.poll;
const mostOptions = 12;

interface Props {
  readonly send: (content: Content) => void;
  readonly close: () => void;
}

const problemOf = (question: string, options: readonly string[]): string | null => {
  if (question === '') return words.needsQuestion;
  if (options.length < 2) return words.needsOptions;
  return new Set(options).size < options.length ? words.equal : null;
};

export const PollDialog = ({ send, close }: Props) => {
  const [question, setQuestion] = useState('');
  const [options, setOptions] = useState<readonly string[]>(['', '']);
  const [several, setSeveral] = useState(false);
  const [error, setError] = useState<string | null>(null);
  /** The last field is always an empty one, until there are 12. */
  const write = (index: number, text: string): void => {
    const next = options.map((option, at) => (at === index ? text : option));
    setOptions(next.at(-1) !== '' && next.length < mostOptions ? [...next, ''] : next);
  };
  const submit = (form: FormEvent): void => {
    form.preventDefault();
    const given = options.map((option) => option.trim()).filter((option) => option !== '');
    const problem = problemOf(question.trim(), given);
    setError(problem);
    if (problem !== null) return;
    const body = { question: question.trim(), options: given, maxAnswers: several ? given.length : 1 };
    send({ path: 'poll', type: 'poll', text: question.trim(), body });
  };
  return (
    <SendDialog title={words.title} close={close} submit={submit}>
      <Field
        label={words.question}
        maxLength={255}
        error={error}
        value={question}
        onChange={(input) => setQuestion(input.target.value)}
      />
      <fieldset className="poll-options">
        <legend>{words.options}</legend>
        {options.map((option, index) => (
          <input
            key={index}
            aria-label={words.option(index + 1)}
            placeholder={words.option(index + 1)}
            autoComplete="off"
            maxLength={100}
            value={option}
            onChange={(input) => write(index, input.target.value)}
          />
        ))}
      </fieldset>
      <label className="check">
        <input type="checkbox" checked={several} onChange={(input) => setSeveral(input.target.checked)} />
        {words.several}
      </label>
    </SendDialog>
  );
};
