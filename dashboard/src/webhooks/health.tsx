/** The health of an endpoint, a test of it, and what is wrong with it. */
import { useAccount } from '../account/account.tsx';
import type { AnyWebhook } from '../api/types.ts';
import type { Answer } from '../api/schemas.ts';
import { fullTime } from '../base/format.ts';
import { texts } from '../base/texts.ts';
import { useNotify } from '../ui/notices.tsx';
import { Action, Badge } from '../ui/parts.tsx';

const words = texts.webhook;
const tones = { healthy: 'good', failing: 'bad', disabled: 'calm' } as const;

type Condition = Pick<AnyWebhook, 'health' | 'failingSince' | 'disabledAt' | 'lastSuccessAt'>;

interface HealthProps {
  readonly of: Condition;
  /** Whether the last test on this page has failed. */
  readonly isTestFailed: boolean;
}

export const Health = ({ of: { health, disabledAt, lastSuccessAt }, isTestFailed }: HealthProps) => {
  if (disabledAt !== null) return <Badge tone="bad">{words.health.stopped}</Badge>;
  if (isTestFailed) return <Badge tone="bad">{words.unhealthy}</Badge>;
  if (health === 'healthy' && lastSuccessAt === null) return <Badge tone="calm">{words.unused}</Badge>;
  return <Badge tone={tones[health]}>{words.health[health]}</Badge>;
};

/** Since when the endpoint fails, or that it has stopped its webhook. */
export const Trouble = ({ of: { failingSince, disabledAt } }: { readonly of: Condition }) => {
  if (disabledAt !== null) return <p className="error">{words.stoppedSince(fullTime(disabledAt))}</p>;
  return failingSince !== null && <p className="error">{words.failingSince(fullTime(failingSince))}</p>;
};

interface TestProps {
  readonly path: string;
  readonly disabled: boolean;
  readonly tested: (delivered: boolean) => void;
}

export const TestButton = ({ path, disabled, tested }: TestProps) => {
  const { client } = useAccount();
  const notify = useNotify();
  const test = async (): Promise<void> => {
    const answer = await client.post<Answer<'testWebhook'>>(path);
    const { delivered, status, durationMs, error } = answer.test;
    tested(delivered);
    if (!delivered || status === null) throw new Error(words.testFailed(error ?? String(status)));
    notify.good(words.testOk(status, durationMs));
  };
  return (
    <Action className="quiet" act={test} disabled={disabled}>
      {words.test}
    </Action>
  );
};
