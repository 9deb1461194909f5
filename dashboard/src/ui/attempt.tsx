/** What somebody has just tried, and why it failed: said beside what was pressed, until it is dismissed or tried again. */
import { useCallback, useRef, useState } from 'react';
import { messageOf } from '../api/client.ts';
import { texts } from '../base/texts.ts';

export interface Attempt {
  readonly busy: boolean;
  readonly error: string | null;
  readonly dismiss: () => void;
  /** One at a time. Resolves to whether it has succeeded. */
  readonly run: (act: () => Promise<unknown>) => Promise<boolean>;
}

export const useAttempt = (): Attempt => {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  // The state changes only with the next render.
  const running = useRef(false);
  const run: Attempt['run'] = async (act) => {
    if (running.current) return false;
    running.current = true;
    setBusy(true);
    setError(null);
    try {
      await act();
      return true;
    } catch (failure) {
      setError(messageOf(failure));
      return false;
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  const dismiss = useCallback(() => setError(null), []);
  return { busy, error, dismiss, run };
};

interface FailureProps {
  readonly id?: string;
  readonly of: Pick<Attempt, 'error' | 'dismiss'>;
}

export const Failure = ({ id, of: { error, dismiss } }: FailureProps) =>
  error !== null && (
    <span className="error of-button" id={id} role="alert">
      {error}
      <button type="button" className="icon" aria-label={texts.close} onClick={dismiss}>
        ×
      </button>
    </span>
  );
