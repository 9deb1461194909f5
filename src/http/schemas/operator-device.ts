/** A device as the operator sees it: whose it is and how it is, and nothing of what it sends. */
import { Type } from 'typebox';
import type { DeviceScope } from '../../service/sessions/scope.ts';
import type { Parts } from '../wire/parts.ts';
import { nullableText, oneOf, timestamp } from '../wire/build.ts';

export const OperatorDeviceSchema = Type.Object(
  {
    id: Type.Integer(),
    userId: Type.Integer({ description: 'The owner' }),
    name: Type.String(),
    status: oneOf(['connected', 'qr', 'timeout']),
    state: Type.String({ description: 'State of the session, as in `/devices/{id}/session`' }),
    reason: nullableText({ description: 'Why it is in this state, for people' }),
    messagesSent: Type.Integer(),
    subscription_status: oneOf(['active', 'inactive']),
    createdAt: timestamp('When it was made'),
  },
  { title: 'OperatorDevice' },
);

export const operatorDeviceView = async (parts: Pick<Parts, 'devices'>, scope: DeviceScope) => {
  const { id, name, status, messagesSent, subscription_status, createdAt } = await parts.devices.get(scope);
  const { state, reason } = await parts.devices.session(scope);
  return { id, userId: scope.userId, name, status, state, reason, messagesSent, subscription_status, createdAt };
};
