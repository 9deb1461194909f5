/** Settings of what is kept and received: messages loaded by a pairing, files, posts of channels and statuses. */
import { useId } from 'react';
import { texts } from '../base/texts.ts';
import { Failure, useAttempt } from '../ui/attempt.tsx';
import { Await } from '../ui/parts.tsx';
import type { Settings } from './use-settings.ts';

const words = texts.kept;

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly hint: string;
  readonly value: T;
  readonly options: Readonly<Record<NoInfer<T>, string>>;
  readonly busy?: boolean;
  readonly save: (value: NoInfer<T>) => Promise<void> | void;
}

export const SelectSetting = <T extends string>({
  label,
  hint,
  value,
  options,
  busy = false,
  save,
}: ChoiceProps<T>) => {
  const id = useId();
  const attempt = useAttempt();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of an object of ours
  const all = Object.keys(options) as T[];
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value}
        disabled={busy}
        aria-describedby={`${id}-error ${id}-hint`}
        onChange={({ target }) => void attempt.run(async () => save(all.find((one) => one === target.value) ?? value))}
      >
        {all.map((one) => (
          <option key={one} value={one}>
            {options[one]}
          </option>
        ))}
      </select>
      <Failure id={`${id}-error`} of={attempt} />
      <p className="hint" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  );
};

export const KeptCard = ({ settings: { loaded, busy, save } }: { readonly settings: Settings }) => (
  <section className="card stack" aria-labelledby="kept-title">
    <h2 id="kept-title">{words.title}</h2>
    <Await of={loaded}>
      {({ history, media }) => (
        <>
          <SelectSetting
            label={words.history}
            hint={words.historyHint}
            value={history}
            options={words.histories}
            busy={busy}
            save={(next) => save({ history: next })}
          />
          <SelectSetting
            label={words.media}
            hint={words.mediaHint}
            value={media}
            options={words.medias}
            busy={busy}
            save={(next) => save({ media: next })}
          />
        </>
      )}
    </Await>
  </section>
);

export const ChannelsSetting = ({ settings: { loaded, busy, save } }: { readonly settings: Settings }) => (
  <Await of={loaded}>
    {({ channels }) => (
      <SelectSetting
        label={texts.channels.setting}
        hint={texts.channels.settingHint}
        value={channels}
        options={texts.channels.settings}
        busy={busy}
        save={(next) => save({ channels: next })}
      />
    )}
  </Await>
);

export const StatusesSetting = ({ settings: { loaded, busy, save } }: { readonly settings: Settings }) => (
  <Await of={loaded}>
    {({ statuses }) => (
      <SelectSetting
        label={texts.statuses.setting}
        hint={texts.statuses.settingHint}
        value={statuses}
        options={texts.statuses.settings}
        busy={busy}
        save={(next) => save({ statuses: next })}
      />
    )}
  </Await>
);

export const FeedsCard = ({ settings }: { readonly settings: Settings }) => (
  <section className="card stack" aria-labelledby="feeds-title">
    <h2 id="feeds-title">{texts.channels.feeds}</h2>
    <ChannelsSetting settings={settings} />
    <StatusesSetting settings={settings} />
  </section>
);
