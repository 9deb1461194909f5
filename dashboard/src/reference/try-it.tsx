/** A form that sends an operation to this service, and shows what it answers. */
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { messageOf } from '../api/client.ts';
import { credentialsOf } from '../base/signed-in.ts';
import { texts } from '../base/texts.ts';
import { Field } from '../ui/parts.tsx';
import { type Answer, AnswerView, readAnswer } from './answer.tsx';
import { type Document, type OperationEntry, parametersOf } from './document.ts';
import { answersOf, bodiesOf, exampleOf, type Filled, keyVariableOf, parsed, requestOf, takesFile } from './request.ts';
import { type Session, SignInForm } from './sign-in.tsx';

const words = texts.reference;

interface Props {
  readonly document: Document;
  readonly entry: OperationEntry;
  readonly filled: Filled;
  readonly fill: (filled: Filled) => void;
  readonly session: Session;
}

const Select = ({
  label,
  options,
  choose,
}: {
  readonly label: string;
  readonly options: readonly string[];
  readonly choose: (index: number) => void;
}) => (
  <label className="field">
    {label}
    <select onChange={(change) => choose(change.target.selectedIndex)}>
      {options.map((option) => (
        <option key={option}>{option}</option>
      ))}
    </select>
  </label>
);

type FieldsProps = Omit<Props, 'session'>;

const Body = ({ entry, filled, fill }: Omit<FieldsProps, 'document'>) => {
  const id = useId();
  const examples = bodiesOf(entry);
  const isWrong = filled.body.trim() !== '' && parsed(filled.body) === null;
  if (entry.operation.requestBody === undefined) return null;
  if (takesFile(entry)) {
    return (
      <Field
        label={words.file}
        type="file"
        required
        onChange={({ target }) => fill({ ...filled, file: target.files?.[0] ?? null })}
      />
    );
  }
  return (
    <>
      {examples.length > 1 && (
        <Select
          label={words.example}
          options={examples.map(([name]) => name)}
          choose={(index) => fill({ ...filled, body: examples[index]?.[1] ?? '' })}
        />
      )}
      <div className="field">
        <label htmlFor={id}>{words.body}</label>
        <textarea
          id={id}
          // The browser then sends nothing, and says why.
          ref={(area) => area?.setCustomValidity(isWrong ? words.notJson : '')}
          className="json"
          spellCheck={false}
          rows={Math.min(filled.body.split('\n').length + 1, 16)}
          value={filled.body}
          aria-invalid={isWrong}
          onChange={(change) => fill({ ...filled, body: change.target.value })}
        />
        {isWrong && <p className="error">{words.notJson}</p>}
      </div>
    </>
  );
};

const Fields = ({ document, entry, filled, fill }: FieldsProps) => {
  const types = answersOf(document, entry.operation);
  return (
    <>
      {parametersOf(document, entry.operation).map((parameter) => (
        <Field
          key={parameter.name}
          label={parameter.name}
          required={parameter.required === true}
          placeholder={parameter.required === true ? exampleOf(parameter) : ''}
          value={filled.values[parameter.name] ?? ''}
          onChange={(change) =>
            fill({ ...filled, values: { ...filled.values, [parameter.name]: change.target.value } })
          }
        />
      ))}
      <Body entry={entry} filled={filled} fill={fill} />
      {types.length > 1 && (
        <Select
          label={words.accept}
          options={types}
          choose={(index) => fill({ ...filled, accept: index === 0 ? '' : (types[index] ?? '') })}
        />
      )}
    </>
  );
};

const useAnswer = () => {
  const [answer, setAnswer] = useState<Answer | null>(null);
  const abort = useRef<AbortController | null>(null);
  const stop = (): void => abort.current?.abort();
  useEffect(() => () => abort.current?.abort(), []);
  const send = async (path: string, init: RequestInit): Promise<void> => {
    stop();
    const own = new AbortController();
    abort.current = own;
    setAnswer({ kind: 'sending' });
    try {
      await readAnswer(await fetch(path, { ...init, signal: own.signal }), setAnswer);
    } catch (error) {
      if (!own.signal.aborted) setAnswer({ kind: 'failed', message: messageOf(error) });
    }
  };
  return { answer, send, stop };
};

export const TryIt = ({ document, entry, filled, fill, session }: Props) => {
  const { answer, send, stop } = useAnswer();
  const needsKey = keyVariableOf(entry) !== null;
  const submit = (form: FormEvent): void => {
    form.preventDefault();
    void send(
      ...requestOf(document, entry, filled, session.signedIn === null ? null : credentialsOf(session.signedIn)),
    );
  };
  return (
    <section className="card try-it">
      <h2>{words.tryIt}</h2>
      {needsKey && <SignInForm session={session} />}
      <form onSubmit={submit}>
        <Fields document={document} entry={entry} filled={filled} fill={fill} />
        <div className="row">
          <button type="submit" className="primary" disabled={needsKey && session.signedIn === null}>
            {words.send}
          </button>
          <button type="button" className="quiet" onClick={stop}>
            {words.stop}
          </button>
        </div>
        <p className="hint">{needsKey && session.signedIn === null ? words.signInToTry : words.sends}</p>
      </form>
      <AnswerView answer={answer} />
    </section>
  );
};
