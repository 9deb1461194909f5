/** Presence and typing of phones, and what they see of others. */
import type { Phone } from '../phones/phone.ts';
import { flag, list, oneOf, optional, readFields, text } from '../base/fields.ts';
import { chatOf, type Network, phoneOf } from './network.ts';
import type { Routes } from './router.ts';

const presenceJson = ({ presence }: Phone): object => ({
  presence: { available: presence.available, seen: presence.seen },
});

export const presenceRoutes = (network: Network): Routes => ({
  'GET /phones/{number}/presence': ({ params }) => presenceJson(phoneOf(network, params['number'])),
  'PUT /phones/{number}/presence': ({ params, body }) => {
    const phone = phoneOf(network, params['number']);
    const { available, follow } = readFields(body, {
      available: optional(flag),
      follow: optional(list(text(100), 0, 100)),
    });
    const chats = (follow ?? []).map((chat) => chatOf(network, chat));
    if (available !== null) phone.presence.show(available);
    for (const chat of chats) phone.presence.follow(chat);
    return presenceJson(phone);
  },
  'POST /phones/{number}/typing': ({ params, body }) => {
    const phone = phoneOf(network, params['number']);
    const { to, state } = readFields(body, { to: text(100), state: oneOf('text', 'voice', 'none') });
    phone.presence.type(chatOf(network, to), state);
    return presenceJson(phone);
  },
});
