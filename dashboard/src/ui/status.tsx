/** The status of a device as a badge. */
import type { Device } from '../api/types.ts';
import { texts } from '../texts.ts';
import { Badge } from './parts.tsx';

const tones = { connected: 'good', qr: 'warn', timeout: 'bad' } as const;

export const StatusBadge = ({ device }: { readonly device: Device }) =>
  device.subscription_status === 'inactive' ? (
    <Badge tone="calm">{texts.devices.inactive}</Badge>
  ) : (
    <Badge tone={tones[device.status]}>{texts.status[device.status]}</Badge>
  );
