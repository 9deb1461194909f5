/** Routes for what a phone shares with companions: contacts, chat settings, privacy tokens and old chats. */
import type { Phone } from '../phones/phone.ts';
import { badRequest } from '../base/errors.ts';
import {
  type Field,
  flag,
  list,
  optional,
  phoneNumber,
  readFields,
  readNothing,
  text,
  unless,
  whole,
} from '../base/fields.ts';
import { labelIds } from './label-routes.ts';
import { addressesOf, chatOf, type Network, phoneOf } from './network.ts';
import type { Routes } from './server.ts';

const muteEnd: Field<{ readonly at: number | null }> = (value, name) => {
  if (value === 'always') return { at: null };
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) throw badRequest(`${name} must be a time in ISO 8601, "always", or null`);
  return { at: time };
};

const chatJson = (network: Network, phone: Phone, jid: string): object => ({
  chat: {
    jid,
    ...phone.appState.chat(jid),
    expiresInSeconds: phone.writer.timerOf(jid),
    labels: phone.appState.labels.of(addressesOf(network, jid)),
  },
});

const contactsJson = async ({ hub }: Network, phone: Phone): Promise<object> => {
  await phone.shareAppState();
  const { blocked } = hub.state.registry.stateOf(phone.account);
  return { contacts: phone.appState.contacts, blocked: [...blocked].map(({ jid }) => jid) };
};

const clearingRoutes = (network: Network): Routes => ({
  'POST /phones/{number}/chats/{chat}/clear': async ({ params, body }) => {
    const phone = phoneOf(network, params['number']);
    const jid = chatOf(network, params['chat'] ?? '');
    const { keepStarred } = readFields(body, { keepStarred: optional(flag) });
    await phone.marks.clearChat(jid, keepStarred ?? false);
    return { cleared: { chat: jid, keepStarred: keepStarred ?? false } };
  },
  'DELETE /phones/{number}/chats/{chat}': async ({ params, body }) => {
    readNothing(body);
    const phone = phoneOf(network, params['number']);
    const jid = chatOf(network, params['chat'] ?? '');
    await phone.marks.deleteChat(jid);
    return { deleted: { chat: jid } };
  },
});

export const appStateRoutes = (network: Network): Routes => ({
  'GET /phones/{number}/contacts': ({ params }) => contactsJson(network, phoneOf(network, params['number'])),
  'PUT /phones/{number}/contacts/{other}': ({ params, body }) => {
    const phone = phoneOf(network, params['number']);
    const { account } = phoneOf(network, params['other']);
    const { name } = readFields(body, { name: optional(text(100)) });
    phone.appState.setContact(account.jid, name, account.lid);
    return contactsJson(network, phone);
  },
  'GET /phones/{number}/chats/{chat}': async ({ params }) => {
    const phone = phoneOf(network, params['number']);
    await phone.shareAppState();
    return chatJson(network, phone, chatOf(network, params['chat'] ?? ''));
  },
  'PATCH /phones/{number}/chats/{chat}': async ({ params, body }) => {
    const phone = phoneOf(network, params['number']);
    const jid = chatOf(network, params['chat'] ?? '');
    const given = readFields(body, {
      archived: optional(flag),
      pinned: optional(flag),
      markedUnread: optional(flag),
      mutedUntil: unless(optional(muteEnd)),
      expiresInSeconds: optional(whole(0, 2_147_483_647)),
      labels: optional(labelIds),
    });
    if (given.expiresInSeconds !== null) await phone.writer.setTimer(jid, given.expiresInSeconds);
    if (given.labels !== null) {
      await phone.shareAppState();
      phone.appState.labels.set(addressesOf(network, jid), given.labels);
    }
    if (given.archived !== null) phone.appState.setArchived(jid, given.archived);
    if (given.pinned !== null) phone.appState.setPinned(jid, given.pinned);
    if (given.markedUnread !== null) phone.appState.setRead(jid, !given.markedUnread);
    if (given.mutedUntil !== undefined) phone.appState.setMuted(jid, given.mutedUntil?.at);
    await phone.shareAppState();
    return chatJson(network, phone, jid);
  },
  ...clearingRoutes(network),
  'PUT /phones/{number}/tokens/{other}': async ({ params, body }) => {
    readNothing(body);
    const phone = phoneOf(network, params['number']);
    const { account } = phoneOf(network, params['other']);
    await phone.giveToken(account);
    return { given: { to: account.jid } };
  },
  'POST /phones/{number}/old-chats': ({ params, body }) => {
    const phone = phoneOf(network, params['number']);
    const fields = { with: list(phoneNumber, 1, 5_000), messages: optional(whole(0, 1_000)) };
    const given = readFields(body, { ...fields, chatsAChunk: optional(whole(1, 50)) });
    for (const number of given.with) phoneOf(network, number);
    const messages = given.messages ?? 1;
    const chunks = given.chatsAChunk === null ? {} : { chatsAChunk: given.chatsAChunk };
    phone.rememberChats({ people: given.with, messages, ...chunks, at: Date.now() - 30 * 86_400_000 });
    return { oldChats: { with: given.with, messages, ...chunks } };
  },
});
