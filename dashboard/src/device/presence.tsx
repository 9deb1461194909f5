/** Settings of the account: appearing online, read receipts and calls. */
import { type ReactNode, useState } from 'react';
import { texts } from '../base/texts.ts';
import { useForm } from '../ui/form.ts';
import { Await, Field } from '../ui/parts.tsx';
import { Switch } from '../ui/switch.tsx';
import type { Settings } from './use-settings.ts';

const words = texts.presence;

interface CallAnswerProps {
  readonly answer: string;
  readonly busy: boolean;
  readonly save: (answer: string) => Promise<void>;
}

const CallAnswer = ({ answer, busy, save }: CallAnswerProps) => {
  const [text, setText] = useState(answer);
  const { error, errorOf, submit } = useForm(['rejectCalls'], () => save(text.trim()));
  return (
    <form className="row align-end" onSubmit={submit}>
      <Field
        label={words.callAnswer}
        maxLength={4096}
        error={errorOf('rejectCalls') ?? error}
        value={text}
        onChange={(input) => setText(input.target.value)}
      />
      <button type="submit" disabled={busy || text.trim() === answer}>
        {texts.save}
      </button>
    </form>
  );
};

export const PresenceCard = ({ settings }: { readonly settings: Settings }): ReactNode => {
  const { loaded, busy, save } = settings;
  const setting = (name: 'online' | 'readReceipts' | 'rejectCalls', on: boolean): ReactNode => (
    <Switch
      label={words[name]}
      hint={words.hints[name]}
      on={on}
      disabled={busy}
      set={(next) => save({ [name]: next })}
    />
  );
  return (
    <section className="card stack" aria-labelledby="presence-title">
      <h2 id="presence-title">{words.title}</h2>
      <Await of={loaded}>
        {({ online, readReceipts, rejectCalls }) => (
          <>
            {setting('online', online)}
            {setting('readReceipts', readReceipts)}
            {setting('rejectCalls', rejectCalls !== false)}
            {rejectCalls !== false && (
              <CallAnswer
                answer={typeof rejectCalls === 'string' ? rejectCalls : ''}
                busy={busy}
                save={(text) => save({ rejectCalls: text === '' ? true : text })}
              />
            )}
          </>
        )}
      </Await>
    </section>
  );
};
