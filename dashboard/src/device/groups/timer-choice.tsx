/** The choice of the timer for disappearing messages, among those that the network knows. */
import { useId } from 'react';
import { texts } from '../../base/texts.ts';
import { Failure, useAttempt } from '../../ui/attempt.tsx';

const words = texts.inbox;
const choices = [86_400, 604_800, 7_776_000] as const;

interface Props {
  readonly seconds: number | null;
  readonly disabled?: boolean;
  readonly choose: (seconds: number | null) => Promise<unknown>;
}

export const TimerChoice = ({ seconds, disabled = false, choose }: Props) => {
  const id = useId();
  const attempt = useAttempt();
  /** Phones may have set another value. */
  const all = seconds === null || choices.some((one) => one === seconds) ? choices : [seconds, ...choices];
  return (
    <div className="inline">
      <label htmlFor={id}>{words.timer}</label>
      <select
        id={id}
        value={seconds ?? ''}
        disabled={disabled || attempt.busy}
        aria-describedby={attempt.error === null ? undefined : `${id}-error`}
        onChange={({ target: { value } }) => void attempt.run(() => choose(value === '' ? null : Number(value)))}
      >
        <option value="">{words.timers.off}</option>
        {all.map((one) => (
          <option key={one} value={one}>
            {words.timers.of(one)}
          </option>
        ))}
      </select>
      <Failure id={`${id}-error`} of={attempt} />
    </div>
  );
};
