/** Profiles, look-ups and changes of people and chats (docs/spec/conversation.md). */
import { invalidRequest } from '../../errors.ts';
import { numberRule } from '../../domain/jid.ts';
import type { Static } from 'typebox';
import type { Immutable } from '../../contract/operation.ts';
import type { UpdateChatSchema } from '../../contract/schemas/people.ts';
import type { ChatPatch } from '../../service/conversation/conversations.ts';

export const numbersIn = (text: string, max: number): readonly string[] => {
  const numbers = text.split(',').map((number) => number.trim());
  if (numbers.length > max) throw invalidRequest(`numbers must be at most ${max} phone numbers`);
  const wrong = numbers.find((number) => !/^\d{8,15}$/.test(number));
  if (wrong === undefined) return numbers;
  throw invalidRequest(`numbers must be separated by commas, each ${numberRule}`);
};

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

export const chatPatchIn = (
  { mutedUntil, expiresInSeconds, ...flags }: Immutable<Static<typeof UpdateChatSchema>>,
  now: number,
): ChatPatch => {
  const timer = expiresInSeconds === undefined ? {} : { expiresInSeconds: expiresInSeconds ?? 0 };
  if (mutedUntil === undefined) return { ...flags, ...timer };
  if (mutedUntil === null || mutedUntil === 'always') return { ...flags, ...timer, mutedUntil };
  const until = rfc3339.test(mutedUntil) ? Date.parse(mutedUntil) : Number.NaN;
  if (Number.isNaN(until)) throw invalidRequest('mutedUntil must be a time in RFC 3339, "always", or null');
  if (until <= now) throw invalidRequest('mutedUntil must be in the future; null ends a mute');
  return { ...flags, ...timer, mutedUntil: until };
};
