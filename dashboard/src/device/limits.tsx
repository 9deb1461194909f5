/** The limits of a device: restrictions of its account, its own limit of new chats, and stop words. */
import { type ReactNode, useState } from 'react';
import { useAccount, useEvents } from '../account/account.tsx';
import type { Device, Limits } from '../api/types.ts';
import type { Answer } from '../api/schemas.ts';
import { fullTime } from '../base/format.ts';
import { type Loaded, useLoad } from '../api/hooks.ts';
import { texts } from '../base/texts.ts';
import { useForm } from '../ui/form.ts';
import { Await, ErrorText, Field, TextArea } from '../ui/parts.tsx';
import type { Settings } from './use-settings.ts';

const words = texts.limits;

const NewChats = ({ used, limit, resetsAt }: Limits['newChats']): ReactNode =>
  limit !== null && (
    <div>
      <p>
        {words.newChats(used, limit)} {resetsAt !== null && words.resets(fullTime(resetsAt))}
      </p>
      {used !== null && <meter aria-label={words.newChatsLabel} value={used} max={Math.max(limit, 1)} />}
    </div>
  );

type LoadedLimits = Loaded<Answer<'getLimits'>['limits']>;

/** Loaded after the settings, and again when the device's own limit changes. */
export const useLimits = (device: Device, { loaded }: Settings): LoadedLimits => {
  const { client } = useAccount();
  const path = `/v1/devices/${device.id}/limits`;
  const key = loaded.value === null ? null : `${path} ${loaded.value.newChatsPerDay}`;
  const limits = useLoad(async () => (await client.get<Answer<'getLimits'>>(path)).limits, key);
  useEvents(device.id, ({ type }) => {
    if (type === 'account.limited' || type === 'message.sent') limits.reload();
  });
  return limits;
};

const Restriction = ({ limits }: { readonly limits: LoadedLimits }) => (
  <Await of={limits}>
    {({ reason, restrictedUntil, newChats }) => (
      <>
        {reason === null ? (
          <p>{words.none}</p>
        ) : (
          <p className="trouble" role="status">
            <strong>{reason}</strong> {restrictedUntil !== null && words.until(fullTime(restrictedUntil))}{' '}
            {words.advice}
          </p>
        )}
        <NewChats {...newChats} />
      </>
    )}
  </Await>
);

type Save = Settings['save'];

const Ceiling = ({ value, save }: { readonly value: number | null; readonly save: Save }) => {
  const [text, setText] = useState(value === null ? '' : String(value));
  const { error, errorOf, submit } = useForm(['newChatsPerDay'], () =>
    save({ newChatsPerDay: text.trim() === '' ? null : Number(text) }),
  );
  return (
    <form className="row align-end" onSubmit={submit} noValidate>
      <Field
        error={errorOf('newChatsPerDay') ?? error}
        label={words.ceiling}
        hint={words.ceilingHint}
        type="number"
        min={0}
        max={100_000}
        value={text}
        onChange={(input) => setText(input.target.value)}
      />
      <button type="submit" aria-label={texts.saveOf(words.ceiling)}>
        {texts.save}
      </button>
    </form>
  );
};

const StopWords = ({ value, save }: { readonly value: readonly string[]; readonly save: Save }) => {
  const [text, setText] = useState(value.join('\n'));
  const { error, errorOf, submit } = useForm(['stopWords'], () => {
    const lines = text.split('\n').map((word) => word.trim());
    return save({ stopWords: lines.filter(Boolean) });
  });
  return (
    <form onSubmit={submit}>
      <TextArea
        label={words.stopWords}
        hint={
          <>
            {words.stopWordsHint} <a href="#/suppressions">{texts.suppressions.title}</a>
          </>
        }
        error={errorOf('stopWords')}
        value={text}
        onChange={(input) => setText(input.target.value)}
      />
      <ErrorText error={error} />
      <div className="row">
        <button type="submit" aria-label={texts.saveOf(words.stopWords)}>
          {texts.save}
        </button>
      </div>
    </form>
  );
};

interface Props {
  readonly limits: LoadedLimits;
  readonly settings: Settings;
}

/** Hides settings that the service does not have. */
export const LimitsCard = ({ limits, settings }: Props): ReactNode => {
  const { loaded, save } = settings;
  return (
    <section className="card stack" aria-labelledby="limits-title">
      <h2 id="limits-title">{words.title}</h2>
      <Await of={loaded}>
        {({ newChatsPerDay, stopWords }) => (
          <>
            <Restriction limits={limits} />
            <Ceiling value={newChatsPerDay} save={save} />
            {stopWords !== undefined && <StopWords value={stopWords} save={save} />}
          </>
        )}
      </Await>
    </section>
  );
};
