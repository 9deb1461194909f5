/** Messages of a phone: writing, looking, and what a person can do to one. */
import type { Attachment, Writing } from '../phones/sending/compose.ts';
import type { MediaKind } from '../media/cipher.ts';
import type { Phone } from '../phones/phone.ts';
import type { ViewMessage, ViewState } from '../phones/view.ts';
import { badRequest, notFound } from '../errors.ts';
import {
  base64,
  decimal,
  type Field,
  flag,
  list,
  oneOf,
  optional,
  phoneNumber,
  type Read,
  readFields,
  readNothing,
  readQuery,
  text,
  whole,
} from './fields.ts';
import { chatOf, type Network, phoneOf } from './network.ts';
import { File, type Routes } from './router.ts';

const messageFields = {
  to: text(100),
  text: optional(text()),
  imageBase64: optional(base64),
  videoBase64: optional(base64),
  audioBase64: optional(base64),
  documentBase64: optional(base64),
  stickerBase64: optional(base64),
  caption: optional(text()),
  mimetype: optional(text(100)),
  fileName: optional(text(255)),
  location: optional((value, name) =>
    readFields(value, { latitude: decimal(-90, 90), longitude: decimal(-180, 180), name: optional(text(200)) }, name),
  ),
  contact: optional((value, name) => readFields(value, { name: text(200), number: phoneNumber }, name)),
  event: optional((value, name) => readFields(value, { name: text(100) }, name)),
  poll: optional((value, name) => readFields(value, { question: text(255), options: list(text(100), 2, 12) }, name)),
  quotedId: optional(text(128)),
  count: optional(whole(1, 100_000)),
  withheld: optional(oneOf('viewOnce', 'waiting', 'garbled')),
};

type Body = Read<typeof messageFields>;

const mediaMembers: readonly (readonly [keyof Body, MediaKind])[] = [
  ['imageBase64', 'image'],
  ['videoBase64', 'video'],
  ['audioBase64', 'audio'],
  ['documentBase64', 'document'],
  ['stickerBase64', 'sticker'],
];

/** The one thing that the body says to write. */
const writingOf = (body: Body): Writing => {
  const found: Writing[] = [];
  if (body.text !== null) found.push({ kind: 'text', text: body.text });
  for (const [member, kind] of mediaMembers) {
    const bytes = body[member];
    if (!Buffer.isBuffer(bytes)) continue;
    const attachment: Attachment = {
      kind,
      bytes,
      mimetype: body.mimetype,
      caption: body.caption,
      fileName: body.fileName,
    };
    found.push({ kind: 'media', attachment });
  }
  if (body.location !== null) found.push({ kind: 'location', ...body.location });
  if (body.contact !== null) found.push({ kind: 'contact', ...body.contact });
  if (body.event !== null) found.push({ kind: 'event', ...body.event });
  if (body.poll !== null) found.push({ kind: 'poll', ...body.poll });
  const [writing, ...more] = found;
  if (writing === undefined || more.length > 0) {
    const members = ['text', ...mediaMembers.map(([member]) => member), 'location', 'contact', 'event', 'poll'];
    throw badRequest(`exactly one of ${members.join(', ')} must be given`);
  }
  if (writing.kind !== 'media') {
    for (const name of ['caption', 'mimetype', 'fileName'] as const) {
      if (body[name] !== null) throw badRequest(`${name} goes with media only`);
    }
  }
  return writing;
};

const longestWaitMs = 60_000;
const state: Field<ViewState | null> = optional(
  oneOf('pending', 'accepted', 'delivered', 'received', 'read', 'played', 'failed'),
);

const messageOf = (phone: Phone, id: string | undefined): ViewMessage => {
  const message = id === undefined ? null : phone.view.find(id);
  if (message === null) throw notFound(`there is no message ${id} on this phone`);
  return message;
};

export const messageRoutes = (network: Network): Routes => ({
  'POST /phones/{number}/messages': async ({ params, body }) => {
    const phone = phoneOf(network, params['number']);
    const given = readFields(body, messageFields);
    const writing = writingOf(given);
    const options = { quotedId: given.quotedId, count: given.count ?? 1, withheld: given.withheld };
    return { messageIds: await phone.writer.write(chatOf(network, given.to), writing, options) };
  },
  'POST /phones/{number}/status': async ({ params, body }) => {
    const phone = phoneOf(network, params['number']);
    const given = readFields(body, { text: text(), to: optional(list(phoneNumber, 1, 1_000)) });
    const viewers = given.to?.map((number) => phoneOf(network, number)) ?? network.phones.all();
    const others = viewers.filter((viewer) => viewer !== phone).map(({ account }) => account);
    return { messageId: await phone.postStatus(others, given.text) };
  },
  'GET /phones/{number}/messages': async ({ params, query, signal }) => {
    const { view } = phoneOf(network, params['number']);
    const given = readQuery(query, {
      after: optional(whole(0, Number.MAX_SAFE_INTEGER)),
      limit: optional(whole(1, 1_000_000)),
      waitMs: optional(whole(0, longestWaitMs)),
    });
    const after = given.after ?? 0;
    await view.waitUntil(() => view.lastSeq > after, given.waitMs ?? 0, signal);
    return { messages: view.after(after, given.limit ?? Infinity) };
  },
  'GET /phones/{number}/messages/{id}': async ({ params, query, signal }) => {
    const phone = phoneOf(network, params['number']);
    const given = readQuery(query, { state, waitMs: optional(whole(0, longestWaitMs)) });
    const { view } = phone;
    const id = params['id'] ?? '';
    const holds = (): boolean => {
      const found = view.find(id);
      return found !== null && (given.state === null || found.state === given.state);
    };
    await view.waitUntil(holds, given.waitMs ?? 0, signal);
    return { message: messageOf(phone, id) };
  },
  'GET /phones/{number}/messages/{id}/media': async ({ params }) => {
    const phone = phoneOf(network, params['number']);
    const { mimetype, bytes } = await phone.mediaOf(messageOf(phone, params['id']).id);
    return new File(mimetype, bytes);
  },
  ...actionRoutes(network),
});

const edit = (phone: Phone, id: string, { text: words, plain }: { text: string; plain: boolean | null }) =>
  phone.writer.edit(id, words, plain ?? false);

const react = (phone: Phone, id: string, { emoji, encrypted }: { emoji: string; encrypted: boolean | null }) =>
  phone.writer.react(id, emoji, encrypted ?? false);

/** Actions of a person on one message; each answers the message as it is then. */
const actionRoutes = (network: Network): Routes => {
  const act =
    (action: (phone: Phone, id: string, body: unknown) => Promise<void>) =>
    async ({ params, body }: { params: Readonly<Record<string, string>>; body: unknown }): Promise<object> => {
      const phone = phoneOf(network, params['number']);
      const { id } = messageOf(phone, params['id']);
      await action(phone, id, body);
      return { message: messageOf(phone, id) };
    };
  return {
    'POST /phones/{number}/messages/{id}/expire-media': act(async (phone, id, body) => {
      const { deleted } = readFields(body ?? {}, { deleted: optional(flag) });
      phone.expireMedia(id, deleted ?? false);
    }),
    'POST /phones/{number}/messages/{id}/read': act((phone, id, body) => {
      readNothing(body);
      return phone.writer.read(id);
    }),
    'POST /phones/{number}/messages/{id}/play': act((phone, id, body) => {
      readNothing(body);
      return phone.writer.play(id);
    }),
    'POST /phones/{number}/messages/{id}/edit': act((phone, id, body) =>
      edit(phone, id, readFields(body, { text: text(), plain: optional(flag) })),
    ),
    'POST /phones/{number}/messages/{id}/vote': act((phone, id, body) =>
      phone.writer.vote(id, readFields(body, { options: list(text(100), 0, 12) }).options),
    ),
    'POST /phones/{number}/messages/{id}/respond': act((phone, id, body) =>
      phone.writer.respond(id, readFields(body, { answer: oneOf('going', 'notGoing', 'maybe') }).answer),
    ),
    'POST /phones/{number}/messages/{id}/revoke': act((phone, id, body) => {
      readNothing(body);
      return phone.writer.revoke(id);
    }),
    'POST /phones/{number}/messages/{id}/react': act((phone, id, body) =>
      react(phone, id, readFields(body, { emoji: text(50, 0), encrypted: optional(flag) })),
    ),
  };
};
