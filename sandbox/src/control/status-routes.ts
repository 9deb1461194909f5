/** Routes for the statuses of a phone: post, delete, view, like, and choose the audience. */
import { proto } from 'baileys';
import { badRequest } from '../base/errors.ts';
import {
  type Field,
  list,
  oneOf,
  optional,
  phoneNumber,
  readFields,
  readNothing,
  text,
  whole,
} from '../base/fields.ts';
import { messageFields } from './message-fields.ts';
import { writingOf } from './message-body.ts';
import { type Network, phoneOf } from './network.ts';
import type { Routes } from './server.ts';

const colour: Field<string> = (value, name) => {
  if (typeof value !== 'string' || !/^#[0-9a-f]{6}$/.test(value))
    throw badRequest(`${name} must be a colour like #1f7aec`);
  return value;
};

const audience = optional(list(phoneNumber, 1, 1_000));
const { ALLOW_LIST, DENY_LIST, CONTACTS } = proto.SyncActionValue.StatusPrivacyAction.StatusDistributionMode;
const modes = { contacts: CONTACTS, whitelist: ALLOW_LIST, blacklist: DENY_LIST } as const;

export const statusRoutes = (network: Network): Routes => ({
  'GET /phones/{number}/status': ({ params }) => ({
    statuses: phoneOf(network, params['number']).statuses.all.map(({ audience: people, ...status }) => ({
      ...status,
      audience: people.length,
    })),
  }),
  'POST /phones/{number}/status': async ({ params, body }) => {
    const phone = phoneOf(network, params['number']);
    const { to: _to, ...fields } = messageFields;
    const more = { to: audience, background: optional(colour), font: optional(whole(0, 20)) };
    const { to, background, font, ...given } = readFields(body, { ...fields, ...more });
    const writing = writingOf({ ...given, to: '' }, phone.account.jid);
    if (writing.kind !== 'text' && writing.kind !== 'media')
      throw badRequest('a status is a text, an image, a video or a voice message');
    const viewers = to?.map((number) => phoneOf(network, number)) ?? network.phones.all();
    const others = viewers.filter((viewer) => viewer !== phone).map(({ account }) => account);
    return { messageId: await phone.statuses.post(writing, { background, font }, others) };
  },
  'DELETE /phones/{number}/status/{id}': async ({ params }) => {
    await phoneOf(network, params['number']).statuses.revoke(params['id'] ?? '');
    return {};
  },
  'POST /phones/{number}/status/{id}/view': ({ params, body }) => {
    readNothing(body);
    phoneOf(network, params['number']).statuses.view(params['id'] ?? '');
    return {};
  },
  'POST /phones/{number}/status/{id}/reaction': async ({ params, body }) => {
    const { emoji } = readFields(body, { emoji: text(20, 0) });
    await phoneOf(network, params['number']).statuses.like(params['id'] ?? '', emoji);
    return {};
  },
  /** Stored in app state, as today, or in the older list on the server. */
  'PUT /phones/{number}/status-privacy': async ({ params, body }) => {
    const phone = phoneOf(network, params['number']);
    const fields = { type: oneOf('contacts', 'whitelist', 'blacklist'), people: optional(list(phoneNumber, 0, 1_000)) };
    const { type, people, by } = readFields(body, { ...fields, by: optional(oneOf('appState', 'server')) });
    const lids = (people ?? []).map((number) => phoneOf(network, number).account.lid);
    if (by === 'server')
      network.hub.state.registry.stateOf(phone.account).profile.statusPrivacy = { type, people: lids };
    else {
      phone.appState.setStatusPrivacy(modes[type], lids);
      await phone.shareAppState();
    }
    return { statusPrivacy: { type, people: lids } };
  },
});
