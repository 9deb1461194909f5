/** Routes for messages of a phone: writing, reading, and actions on one message. */
import { proto } from 'baileys';
import type { RawMessage } from '../phones/sending/deliver.ts';
import { badRequest, notFound } from '../base/errors.ts';
import {
  isObject,
  type Field,
  flag,
  list,
  oneOf,
  optional,
  readFields,
  readNothing,
  readQuery,
  text,
  whole,
} from '../base/fields.ts';
import { type MessageBody, event, position, messageFields } from './message-fields.ts';
import type { EventPlan } from '../phones/kinds/types.ts';
import type { Phone } from '../phones/phone.ts';
import type { ViewMessage, ViewState } from '../phones/context/view.ts';
import { albumOf, hdPairOf, optionsOf, writingOf } from './message-body.ts';
import { labelIds } from './label-routes.ts';
import { chatOf, type Network, phoneOf } from './network.ts';
import { File, type Routes } from './server.ts';

const lostIn = (given: unknown, taken: unknown, path: string): string | null => {
  if (!isObject(given) || !isObject(taken)) return null;
  for (const [name, value] of Object.entries(given)) {
    const inner = path === '' ? name : `${path}.${name}`;
    if (value === null) continue;
    if (!Object.hasOwn(taken, name)) return inner;
    const [given_, taken_] = Array.isArray(value) ? [value[0], [taken[name]].flat()[0]] : [value, taken[name]];
    const lost = lostIn(given_, taken_, inner);
    if (lost !== null) return lost;
  }
  return null;
};

const encoded = (fields: object): Uint8Array => {
  let message: proto.Message;
  try {
    message = proto.Message.fromObject({ ...fields });
  } catch (error) {
    throw badRequest(`message: ${error instanceof Error ? error.message : String(error)}`);
  }
  const lost = lostIn(fields, message, '');
  if (lost !== null) throw badRequest(`message.${lost} is no field of the protobuf, or its value does not fit`);
  return proto.Message.encode(message).finish();
};

const rawMessageOf = (body: MessageBody): RawMessage | null => {
  const { to: _to, protobuf, message, stanza, ...others } = body;
  if (protobuf === null && message === null) {
    if (stanza !== null) throw badRequest('stanza goes with protobuf or message only');
    return null;
  }
  const [more] = Object.entries(others).filter(([, value]) => value !== null);
  if (protobuf !== null && message !== null) throw badRequest('protobuf and message exclude each other');
  if (more !== undefined) throw badRequest(`${more[0]} does not go with a raw message: put it into the protobuf`);
  return { bytes: protobuf ?? encoded(message ?? {}), stanza: stanza ?? {} };
};

const maxWaitMs = 60_000;
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
    const to = chatOf(network, given.to);
    const raw = rawMessageOf(given);
    if (raw !== null) return { messageIds: [await phone.writer.writeRaw(to, raw)] };
    const album = albumOf(given);
    const options = optionsOf(network, given);
    if (album !== null) return { messageIds: await phone.writer.writeAlbum(to, album, options) };
    const pair = hdPairOf(given);
    if (pair !== null) return { messageIds: await phone.writer.writeInHd(to, pair, options) };
    return { messageIds: await phone.writer.write(to, writingOf(given, phone.account.jid), options) };
  },
  'GET /phones/{number}/messages': async ({ params, query, signal }) => {
    const { view } = phoneOf(network, params['number']);
    const given = readQuery(query, {
      after: optional(whole(0, Number.MAX_SAFE_INTEGER)),
      limit: optional(whole(1, 1_000_000)),
      changed: optional(whole(0, Number.MAX_SAFE_INTEGER)),
      waitMs: optional(whole(0, maxWaitMs)),
    });
    const { changed } = given;
    const after = given.after ?? 0;
    const holds = (): boolean => (changed === null ? view.lastSeq > after : view.changes > changed);
    await view.waitUntil(holds, given.waitMs ?? 0, signal);
    return { messages: view.after(after, given.limit ?? Infinity), changes: view.changes };
  },
  'GET /phones/{number}/messages/{id}': async ({ params, query, signal }) => {
    const phone = phoneOf(network, params['number']);
    const given = readQuery(query, { state, waitMs: optional(whole(0, maxWaitMs)) });
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

interface Edit {
  readonly text: string | null;
  readonly event: EventPlan | null;
  readonly plain: boolean | null;
}

const edit = (phone: Phone, id: string, { text: words, event: plan, plain }: Edit): Promise<void> => {
  if (plan !== null && words === null && plain === null) return phone.writer.editEvent(id, plan);
  if (words !== null && plan === null) return phone.writer.edit(id, words, plain ?? false);
  throw badRequest('either text, with or without plain, or event must be given');
};

const react = (phone: Phone, id: string, { emoji, encrypted }: { emoji: string; encrypted: boolean | null }) =>
  phone.writer.react(id, emoji, encrypted ?? false);

const usualPin = 7 * 86_400;

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
      edit(phone, id, readFields(body, { text: optional(text()), event: optional(event), plain: optional(flag) })),
    ),
    'POST /phones/{number}/messages/{id}/vote': act((phone, id, body) =>
      phone.writer.vote(id, readFields(body, { options: list(text(100), 0, 12) }).options),
    ),
    'POST /phones/{number}/messages/{id}/pin': act((phone, id, body) => {
      const { pinned, seconds } = readFields(body, { pinned: flag, seconds: optional(whole(1, 2_147_483_647)) });
      return phone.writer.pin(id, pinned ? (seconds ?? usualPin) : null);
    }),
    'POST /phones/{number}/messages/{id}/move': act((phone, id, body) =>
      phone.writer.move(id, readFields(body, position)),
    ),
    'POST /phones/{number}/messages/{id}/comment': act((phone, id, body) =>
      phone.writer.comment(id, readFields(body, { text: text() }).text),
    ),
    'POST /phones/{number}/messages/{id}/respond': act((phone, id, body) =>
      phone.writer.respond(id, readFields(body, { answer: oneOf('going', 'notGoing', 'maybe') }).answer),
    ),
    'POST /phones/{number}/messages/{id}/revoke': act((phone, id, body) => {
      readNothing(body);
      return phone.writer.revoke(id);
    }),
    'POST /phones/{number}/messages/{id}/star': act((phone, id, body) =>
      phone.marks.star(id, readFields(body, { starred: flag }).starred),
    ),
    'POST /phones/{number}/messages/{id}/labels': act((phone, id, body) =>
      phone.marks.label(id, readFields(body, { labels: labelIds }).labels),
    ),
    'POST /phones/{number}/messages/{id}/delete-for-me': act((phone, id, body) => {
      readNothing(body);
      return phone.marks.deleteForMe(id);
    }),
    'POST /phones/{number}/messages/{id}/react': act((phone, id, body) =>
      react(phone, id, readFields(body, { emoji: text(50, 0), encrypted: optional(flag) })),
    ),
  };
};
