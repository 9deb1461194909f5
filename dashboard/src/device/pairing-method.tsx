/** The choice between a QR code and a pairing code. */
import { useId } from 'react';
import { texts } from '../base/texts.ts';
import { Field } from '../ui/parts.tsx';

const words = texts.create;

export interface Way {
  readonly by: 'qr' | 'code';
  readonly number: string;
}

const options = () =>
  [
    ['qr', words.byQr, words.byQrHint],
    ['code', words.byCode, words.byCodeHint],
  ] as const;

interface Props {
  readonly way: Way;
  readonly change: (way: Way) => void;
  readonly error: string | null;
}

export const PairingMethod = ({ way, change, error }: Props) => {
  const name = useId();
  return (
    <fieldset className="ways">
      <legend>{words.method}</legend>
      <div className="ways-options">
        {options().map(([by, title, hint]) => (
          <label key={by} className={`way ${way.by === by ? 'chosen' : ''}`}>
            <input type="radio" name={name} checked={way.by === by} onChange={() => change({ ...way, by })} />
            <span>
              <strong>{title}</strong>
              <small>{hint}</small>
            </span>
          </label>
        ))}
      </div>
      {way.by === 'code' && (
        <Field
          label={words.number}
          hint={words.numberHint}
          inputMode="tel"
          error={error}
          value={way.number}
          onChange={(input) => change({ ...way, number: input.target.value })}
        />
      )}
    </fieldset>
  );
};
