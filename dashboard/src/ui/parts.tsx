/** Small components that all pages share. */
import { type ComponentProps, type ReactNode, useId, useRef, useState } from 'react';
import type { Loaded } from '../api/hooks.ts';
import { texts } from '../base/texts.ts';
import { Failure, useAttempt } from './attempt.tsx';
import { copyText } from './copy.ts';
import { useNotify } from './notices.tsx';

type Tone = 'good' | 'warn' | 'bad' | 'calm';

export const Badge = ({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) => (
  <span className={`badge ${tone}`}>
    <span className="dot" aria-hidden="true" />
    {children}
  </span>
);

interface ActionProps extends Omit<ComponentProps<'button'>, 'onClick'> {
  readonly act: () => Promise<unknown>;
  /** The notice shown on success. */
  readonly done?: string;
}

/** A button that is disabled while its action runs. An error is shown below it, or as a notice if the button is gone by then. */
export const Action = ({ act, done, children, disabled, ...rest }: ActionProps) => {
  const attempt = useAttempt();
  const button = useRef<HTMLButtonElement>(null);
  const notify = useNotify();
  const run = async (): Promise<void> => {
    try {
      await act();
    } catch (error) {
      if (button.current === null) notify.bad(error);
      throw error;
    }
    if (done !== undefined) notify.good(done);
  };
  return (
    <>
      <button
        type="button"
        {...rest}
        ref={button}
        disabled={attempt.busy || disabled}
        aria-busy={attempt.busy}
        onClick={() => void attempt.run(run)}
      >
        {children}
      </button>
      <Failure of={attempt} />
    </>
  );
};

interface Described {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | null | undefined;
}

export const ErrorText = ({ id, error }: { readonly id?: string; readonly error: string | null }) =>
  error !== null && (
    <p className="error" id={id} role="alert">
      {error}
    </p>
  );

interface LabelledProps extends Described {
  readonly children: (attributes: {
    readonly id: string;
    readonly 'aria-invalid': boolean;
    readonly 'aria-describedby': string | undefined;
  }) => ReactNode;
}

const Labelled = ({ label, hint, error = null, children }: LabelledProps) => {
  const id = useId();
  const described = [hint === undefined ? '' : `${id}-hint`, error === null ? '' : `${id}-error`].filter(Boolean);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-invalid': error !== null, 'aria-describedby': described.join(' ') || undefined })}
      <ErrorText id={`${id}-error`} error={error} />
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
};

export const Field = ({ label, hint, error, ...rest }: Described & ComponentProps<'input'>) => (
  <Labelled {...{ label, hint, error }}>
    {(attributes) => <input autoComplete="off" spellCheck={false} {...rest} {...attributes} />}
  </Labelled>
);

/** Lines of text. */
export const TextArea = ({ label, hint, error, ...rest }: Described & ComponentProps<'textarea'>) => (
  <Labelled {...{ label, hint, error }}>
    {(attributes) => <textarea rows={3} spellCheck={false} {...rest} {...attributes} />}
  </Labelled>
);

export const CopyButton = ({ text, label = texts.copy }: { readonly text: string; readonly label?: string }) => {
  const [copied, setCopied] = useState(false);
  const attempt = useAttempt();
  const copy = async (): Promise<void> => {
    await copyText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <>
      <button type="button" className="quiet" onClick={() => void attempt.run(copy)}>
        <span aria-live="polite">{copied ? texts.copied : label}</span>
      </button>
      <Failure of={attempt} />
    </>
  );
};

export const Empty = ({ title, children }: { readonly title: string; readonly children?: ReactNode }) => (
  <div className="empty">
    <p className="empty-title">{title}</p>
    {children}
  </div>
);

interface HeadProps {
  readonly columns: readonly string[];
  /** Screen reader heading of a last column with buttons. */
  readonly actions?: string;
}

export const TableHead = ({ columns, actions }: HeadProps) => (
  <thead>
    <tr>
      {columns.map((column) => (
        <th key={column} scope="col">
          {column}
        </th>
      ))}
      {actions !== undefined && (
        <th scope="col">
          <span className="visually-hidden">{actions}</span>
        </th>
      )}
    </tr>
  </thead>
);

/** Renders a loaded value, or the loading or error state. */
export function Await<T>({ of, children }: { readonly of: Loaded<T>; readonly children: (value: T) => ReactNode }) {
  if (of.value !== null) return <>{children(of.value)}</>;
  if (of.error === null) return <p className="loading">{texts.loading}</p>;
  return (
    <Empty title={of.error}>
      <button type="button" onClick={of.reload}>
        {texts.retry}
      </button>
    </Empty>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [NoInfer<T>, string])[];
  readonly choose: (value: NoInfer<T>) => void;
}

/** Radio buttons drawn as a segmented control. */
export const Choice = <T extends string>({ label, value, options, choose }: ChoiceProps<T>) => {
  const name = useId();
  return (
    <fieldset className="choice">
      <legend className="visually-hidden">{label}</legend>
      {options.map(([option, words]) => (
        <label key={option} className={option === value ? 'chosen' : ''}>
          <input
            type="radio"
            className="visually-hidden"
            name={name}
            checked={option === value}
            onChange={() => choose(option)}
          />
          {words}
        </label>
      ))}
    </fieldset>
  );
};
