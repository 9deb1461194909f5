/** `GET /devices/{id}/contacts/lookup` (docs/spec/conversation.md, Look-ups). */
import { mostNewNumbers, mostNumbers } from '../../../service/conversation/people.ts';
import { ok } from '../../wire/build.ts';
import { LookUpAnswer, lookUpParameters, numbersIn } from '../../schemas/people.ts';
import { operation } from '../../wire/operation.ts';

export const lookUpNumbers = operation({
  id: 'lookUpNumbers',
  method: 'GET',
  path: '/devices/{id}/contacts/lookup',
  tag: 'Chats',
  summary: 'Look up which numbers have an account',
  description: `At most ${mostNumbers} numbers, and at most ${mostNewNumbers} new ones a device and day: looking numbers up in masses gets accounts restricted.`,
  query: lookUpParameters,
  answer: LookUpAnswer,
  atOwner: true,
  errors: [400, 401, 404, 408, 422, 429, 500],
  async run({ parts, caller, deviceId, query }) {
    const contacts = await parts.people.lookUp(caller.user.id, deviceId, numbersIn(query.numbers, mostNumbers));
    return { contacts: [...contacts], status: ok('Numbers looked up') };
  },
});
