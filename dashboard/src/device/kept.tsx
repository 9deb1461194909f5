/** Settings of what is kept: messages loaded by a pairing, and files of received messages. */
import { useId } from 'react';
import { texts } from '../base/texts.ts';
import { Await } from '../ui/parts.tsx';
import type { Settings } from './use-settings.ts';

const words = texts.kept;

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly hint: string;
  readonly value: T;
  readonly options: Readonly<Record<NoInfer<T>, string>>;
  readonly busy: boolean;
  readonly save: (value: NoInfer<T>) => void;
}

const SelectSetting = <T extends string>({ label, hint, value, options, busy, save }: ChoiceProps<T>) => {
  const id = useId();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of an object of ours
  const all = Object.keys(options) as T[];
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value}
        disabled={busy}
        aria-describedby={`${id}-hint`}
        onChange={(change) => save(all.find((one) => one === change.target.value) ?? value)}
      >
        {all.map((one) => (
          <option key={one} value={one}>
            {options[one]}
          </option>
        ))}
      </select>
      <p className="hint" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  );
};

export const KeptCard = ({ settings: { loaded, busy, set } }: { readonly settings: Settings }) => (
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
            save={(next) => set({ history: next })}
          />
          <SelectSetting
            label={words.media}
            hint={words.mediaHint}
            value={media}
            options={words.medias}
            busy={busy}
            save={(next) => set({ media: next })}
          />
        </>
      )}
    </Await>
  </section>
);
