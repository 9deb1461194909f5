/** Parts of every pairing card: the countdown and the numbered steps. */
import { useTick } from '../api/hooks.ts';

interface CountdownProps {
  readonly until: string | null;
  readonly say: (seconds: number) => string;
  /** Shown after the time has run out. */
  readonly over: string;
}

export const Countdown = ({ until, say, over }: CountdownProps) => {
  const now = useTick(500, until !== null);
  if (until === null) return null;
  const seconds = Math.ceil((Date.parse(until) - now) / 1000);
  return (
    <p className="countdown" role="timer">
      {seconds > 0 ? say(seconds) : over}
    </p>
  );
};

export const Steps = ({ steps }: { readonly steps: readonly string[] }) => (
  <ol className="steps">
    {steps.map((step) => (
      <li key={step}>{step}</li>
    ))}
  </ol>
);
