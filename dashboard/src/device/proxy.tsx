/** The proxy of a device, shown without its password, and a field to change it. */
import { type ReactNode, useState } from 'react';
import { texts } from '../base/texts.ts';
import { useForm } from '../ui/form.ts';
import { Action, Await, Field } from '../ui/parts.tsx';
import type { Settings } from './use-settings.ts';

const words = texts.proxy;

interface ProxyProps extends Pick<Settings, 'busy' | 'save'> {
  readonly proxy: string | null;
}

const Proxy = ({ proxy, busy, save }: ProxyProps) => {
  const [text, setText] = useState('');
  const { error, errorOf, submit } = useForm(['proxy'], async () => {
    await save({ proxy: text.trim() });
    setText('');
  });
  return (
    <>
      <p>{proxy === null ? words.none : words.now(proxy)}</p>
      <form className="row align-end" onSubmit={submit}>
        <Field
          label={words.url}
          hint={words.hint}
          type="password"
          maxLength={2048}
          error={errorOf('proxy') ?? error}
          value={text}
          onChange={(input) => setText(input.target.value)}
        />
        <button type="submit" disabled={busy || text.trim() === ''} aria-label={texts.saveOf(words.url)}>
          {texts.save}
        </button>
      </form>
      {proxy !== null && (
        <div className="row">
          <Action disabled={busy} act={() => save({ proxy: null })}>
            {words.remove}
          </Action>
        </div>
      )}
    </>
  );
};

/** Hidden if the service does not have the setting. */
export const ProxyCard = ({ settings: { loaded, ...rest } }: { readonly settings: Settings }): ReactNode => (
  <Await of={loaded}>
    {({ proxy }) =>
      proxy !== undefined && (
        <section className="card stack" aria-labelledby="proxy-title">
          <h2 id="proxy-title">{words.title}</h2>
          <Proxy proxy={proxy} {...rest} />
        </section>
      )
    }
  </Await>
);
