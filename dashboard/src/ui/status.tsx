/** The status of a device as a badge, and of its session as a sentence. */
import type { Device, Session } from '../api/types.ts';
import { english } from '../texts/en/index.ts';
import { texts } from '../base/texts.ts';
import { Badge } from './parts.tsx';

const tones = { connected: 'good', qr: 'warn', timeout: 'bad' } as const;

/** While the service is away, nobody knows. */
export const UnknownBadge = () => <Badge tone="calm">{texts.device.unknown}</Badge>;

interface StatusProps {
  readonly device: Device;
  /** Nothing is wrong with a device that waits for its first phone. */
  readonly isNew?: boolean;
}

export const StatusBadge = ({ device, isNew = false }: StatusProps) => {
  if (device.subscription_status === 'inactive') return <Badge tone="calm">{texts.devices.inactive}</Badge>;
  if (isNew && device.status === 'timeout') return <Badge tone="calm">{texts.devices.notLinked}</Badge>;
  return <Badge tone={tones[device.status]}>{texts.status[device.status]}</Badge>;
};

/** As the service says them, whatever the language of the page. */
const said = Object.entries(english.reasons);

/** A reason of the service in the reader's language, with the details that follow it, if the catalogues have it. */
const translated = (reason: string): string => {
  const words: Readonly<Record<string, string>> = texts.reasons;
  const known = said.find(([, text]) => reason.startsWith(text));
  return known === undefined ? reason : `${words[known[0]]}${reason.slice(known[1].length)}`;
};

/** The service's reason, if any. For a passkey that is meant for API clients; the card on the page says what to do. */
export const sessionText = ({ state, reason }: Session): string =>
  state === 'passkey_required' || reason === null ? texts.device.session[state] : translated(reason);
