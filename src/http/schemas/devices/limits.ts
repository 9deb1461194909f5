/** Restrictions on the account of a device (docs/spec/devices.md, Limits). */
import { Type } from 'typebox';
import type { LimitsView } from '../../../service/devices/limits.ts';
import { nullableInteger, nullableText, nullableTimestamp } from '../../wire/build.ts';
import { isoOrNull } from '../messages/message.ts';

export const LimitsSchema = Type.Object(
  {
    restrictedUntil: nullableTimestamp(
      'When the restriction ends; null if nothing is restricted, or the network did not say',
    ),
    reason: nullableText({ description: 'What is restricted and what to do about it; null while nothing is' }),
    newChats: Type.Object(
      {
        used: nullableInteger({ description: 'New chats begun in this period; null if unknown' }),
        limit: nullableInteger({ description: 'New chats that may be begun in this period; null: no limit is known' }),
        resetsAt: nullableTimestamp('When the next period begins'),
      },
      { title: 'NewChats' },
    ),
  },
  { title: 'Limits' },
);

export const limitsView = ({ restrictedUntil, reason, newChats }: LimitsView) => ({
  restrictedUntil: isoOrNull(restrictedUntil),
  reason,
  newChats: { used: newChats.used, limit: newChats.limit, resetsAt: isoOrNull(newChats.resetsAt) },
});
