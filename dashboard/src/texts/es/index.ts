/** The texts in Latin American Spanish. */
import type { Texts } from '../translated.ts';
import { account } from './account.ts';
import { channels } from './channels.ts';
import { chat } from './chat.ts';
import { compose } from './compose.ts';
import { device } from './device.ts';
import { devices } from './devices.ts';
import { general } from './general.ts';
import { groups } from './groups.ts';
import { message } from './message.ts';
import { phone } from './phone.ts';
import { reasons } from './reasons.ts';
import { reference } from './reference.ts';
import { refusals } from './refusals.ts';
import { statuses } from './statuses.ts';
import { webhooks } from './webhooks.ts';

export const spanish: Texts = {
  ...general,
  ...devices,
  ...device,
  ...chat,
  ...message,
  ...compose,
  ...groups,
  ...statuses,
  ...channels,
  ...webhooks,
  ...account,
  ...phone,
  ...reasons,
  ...reference,
  ...refusals,
};
