/** Routes for profile and presence of a phone. */
import type { Phone } from '../phones/phone.ts';
import {
  flag,
  list,
  oneOf,
  optional,
  readFields,
  text,
  base64,
  type Field,
  isObject,
  unless,
  whole,
} from '../base/fields.ts';
import { chatOf, type Network, phoneOf } from './network.ts';
import type { Routes } from './server.ts';
import sharp from 'sharp';
import { PRIVACY_VALUES } from '../server/accounts/profile.ts';
import { badRequest } from '../base/errors.ts';

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

const maxAbout = 139;
const tenYears = 10 * 365 * 86_400;

const profileJson = ({ hub, media }: Network, { account }: Phone): object => {
  const profile = hub.profileOf(account);
  return {
    about: profile.about?.text ?? null,
    textStatus: profile.textStatus,
    picture: profile.picture && { id: profile.picture.id, url: `https://${media.host}${profile.picture.image}` },
    privacy: Object.fromEntries(profile.privacy),
    disappearingSeconds: profile.disappearing.seconds,
  };
};

const privacySettings: Field<readonly { readonly name: string; readonly value: string }[]> = (value, name) => {
  if (!isObject(value)) throw badRequest(`${name} must be an object`);
  return Object.entries(value).map(([setting, chosen]) => {
    const values = PRIVACY_VALUES[setting];
    if (values === undefined)
      throw badRequest(`${name}.${setting} is unknown; known: ${Object.keys(PRIVACY_VALUES).join(', ')}`);
    const found = values.find((each) => each === chosen);
    if (found === undefined) throw badRequest(`${name}.${setting} must be one of ${values.join(', ')}`);
    return { name: setting, value: found };
  });
};

export const jpegOf = (image: Buffer): Promise<Buffer> =>
  sharp(image)
    .jpeg()
    .toBuffer()
    .catch(() => {
      throw badRequest('pictureBase64 is no image');
    });

export const profileRoutes = (network: Network): Routes => ({
  'GET /phones/{number}/profile': ({ params }) => ({
    profile: profileJson(network, phoneOf(network, params['number'])),
  }),
  'PATCH /phones/{number}/profile': async ({ params, body }) => {
    const phone = phoneOf(network, params['number']);
    const { about, pictureBase64, privacy, disappearingSeconds } = readFields(body, {
      about: optional(text(maxAbout, 0)),
      pictureBase64: unless(optional(base64)),
      privacy: optional(privacySettings),
      disappearingSeconds: optional(whole(0, tenYears)),
    });
    await phone.changeProfile({
      ...(about !== null && { about }),
      ...(pictureBase64 !== undefined && { picture: pictureBase64 === null ? 'remove' : await jpegOf(pictureBase64) }),
      ...(privacy !== null && { privacy }),
      ...(disappearingSeconds !== null && { disappearingSeconds }),
    });
    return { profile: profileJson(network, phone) };
  },
});
