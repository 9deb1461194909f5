/** The dialog for a poll: a question and 2 to 12 options. */
import { useId, useState } from 'react';
import { texts } from '../../base/texts.ts';
import { FieldError, useForm } from '../../ui/form.ts';
import { ErrorText, Field } from '../../ui/parts.tsx';
import type { Content } from './draft.ts';
import { SendDialog } from './send-dialog.tsx';

const words = texts.compose.poll;
const maxOptions = 12;

interface Props {
  readonly send: (content: Content) => Promise<void>;
  readonly close: () => void;
}

const check = (question: string, options: readonly string[]): void => {
  if (question === '') throw new FieldError('question', words.needsQuestion);
  if (options.length < 2) throw new FieldError('options', words.needsOptions);
  if (new Set(options).size < options.length) throw new FieldError('options', words.equal);
};

export const PollDialog = ({ send, close }: Props) => {
  const [question, setQuestion] = useState('');
  const [options, setOptions] = useState<readonly string[]>(['', '']);
  const [several, setSeveral] = useState(false);
  const id = useId();
  /** The last field stays empty, up to 12. */
  const write = (index: number, text: string): void => {
    const next = options.map((option, at) => (at === index ? text : option));
    setOptions(next.at(-1) !== '' && next.length < maxOptions ? [...next, ''] : next);
  };
  const { errorOf, ...form } = useForm(['question', 'options'], () => {
    const given = options.map((option) => option.trim()).filter((option) => option !== '');
    check(question.trim(), given);
    const body = { question: question.trim(), options: given, maxAnswers: several ? given.length : 1 };
    return send({ path: 'poll', type: 'poll', text: question.trim(), body });
  });
  const wrong = errorOf('options');
  return (
    <SendDialog title={words.title} close={close} form={form}>
      <Field
        label={words.question}
        maxLength={255}
        error={errorOf('question')}
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
            aria-invalid={wrong !== null}
            aria-describedby={wrong === null ? undefined : id}
            value={option}
            onChange={(input) => write(index, input.target.value)}
          />
        ))}
        <ErrorText id={id} error={wrong} />
      </fieldset>
      <label className="check">
        <input type="checkbox" checked={several} onChange={(input) => setSeveral(input.target.checked)} />
        {words.several}
      </label>
    </SendDialog>
  );
};
