/** The choice of event kinds. */
import { useId } from 'react';
import type { allKinds } from '../api/types.ts';
import { texts } from '../base/texts.ts';
import { ErrorText } from '../ui/parts.tsx';

const words = texts.webhook;

interface Props {
  readonly kinds: readonly (typeof allKinds)[number][];
  readonly chosen: readonly string[];
  readonly change: (kinds: readonly string[]) => void;
  readonly error?: string | null;
}

export const Kinds = ({ kinds, chosen, change, error = null }: Props) => {
  const id = useId();
  return (
    <fieldset className="kinds" aria-describedby={error === null ? undefined : id}>
      <legend>{words.events}</legend>
      <div className="row">
        <button type="button" className="quiet small" onClick={() => change(kinds)}>
          {words.all}
        </button>
        <button type="button" className="quiet small" onClick={() => change([])}>
          {words.noneOf}
        </button>
      </div>
      <div className="kinds-list">
        {kinds.map((kind) => (
          <label key={kind} className="check" title={texts.kinds[kind]}>
            <input
              type="checkbox"
              checked={chosen.includes(kind)}
              aria-invalid={error !== null}
              onChange={(input) =>
                change(kinds.filter((one) => (one === kind ? input.target.checked : chosen.includes(one))))
              }
            />
            {kind}
          </label>
        ))}
      </div>
      <ErrorText id={id} error={error} />
    </fieldset>
  );
};
