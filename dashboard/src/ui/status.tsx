/** The status of a device as a badge, and of its session as a sentence. */
import type { Device, Session } from '../api/types.ts';
import { texts } from '../texts.ts';
import { Badge } from './parts.tsx';

const tones = { connected: 'good', qr: 'warn', timeout: 'bad' } as const;

export const StatusBadge = ({ device }: { readonly device: Device }) =>
  device.subscription_status === 'inactive' ? (
    <Badge tone="calm">{texts.devices.inactive}</Badge>
  ) : (
    <Badge tone={tones[device.status]}>{texts.status[device.status]}</Badge>
  );

/** The service's reason, if any. For a passkey that is meant for API clients; the card on the page says what to do. */
export const sessionText = ({ state, reason }: Session): string =>
  (state === 'passkey_required' ? null : reason) ?? texts.device.session[state];
