/** A switch whose change is a request. */
import { useId } from 'react';
import { Failure, useAttempt } from './attempt.tsx';

interface Props {
  readonly label: string;
  readonly hint?: string;
  readonly on: boolean;
  readonly disabled?: boolean;
  readonly set: (on: boolean) => Promise<unknown>;
}

export const Switch = ({ label, hint, on, disabled = false, set }: Props) => {
  const attempt = useAttempt();
  const id = useId();
  return (
    <div>
      <label className="check">
        <input
          type="checkbox"
          role="switch"
          checked={on}
          disabled={disabled || attempt.busy}
          aria-describedby={attempt.error === null ? undefined : id}
          onChange={({ target: { checked } }) => void attempt.run(() => set(checked))}
        />
        {label}
      </label>
      <Failure id={id} of={attempt} />
      {hint !== undefined && <p className="hint">{hint}</p>}
    </div>
  );
};
