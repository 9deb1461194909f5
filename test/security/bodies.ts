/** Bodies of the contract: where their texts are, and a request that gets as far as the body. */
import type { Harness } from '../http/harness.ts';
import { addLabel, addStatuses } from '../http/messages.tour.ts';
import { type Answer, api } from '../support/api.ts';
import { filled, type Route } from './routes.ts';

export const adminToken = 'an-admin-token-of-some-length-here';

export type Path = readonly (string | number)[];

export interface Schema {
  readonly type?: string | readonly string[];
  readonly maxLength?: number;
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** The places of free texts in a body. */
export function* textsIn(schema: Schema, path: Path = []): Generator<Path> {
  const { type, properties = {}, items, anyOf = [], allOf = [] } = schema;
  for (const part of [...anyOf, ...allOf]) yield* textsIn(part, path);
  for (const [name, member] of Object.entries(properties)) yield* textsIn(member, [...path, name]);
  if (items !== undefined) yield* textsIn(items, [...path, 0]);
  const isText = [type].flat().includes('string') && schema.enum === undefined && schema.const === undefined;
  if (isText) yield path;
}

/** The body with a value at a place; what leads there is made where the body lacks it. */
export const withValue = (body: unknown, [first, ...rest]: Path, value: unknown): unknown => {
  if (first === undefined) return value;
  if (typeof first === 'number') {
    const [head, ...others]: readonly unknown[] = Array.isArray(body) ? body : [];
    return [withValue(head, rest, value), ...others];
  }
  const members = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  // A recipient is named by one of these.
  const { to: _to, toNumber: _toNumber, toUsername: _toUsername, ...others } = members;
  const kept = first === 'to' || first === 'toNumber' || first === 'toUsername' ? others : members;
  return { ...kept, [first]: withValue(members[first], rest, value) };
};

let users = 0;

type Send = (body?: unknown, query?: string) => Promise<Answer>;

/** Calls the operation as a user of its own, on a device that is connected, with ids of what is there. */
export const sendingTo = async (http: Harness, route: Route): Promise<Send> => {
  // Nothing that an operation does is in the way of the next one.
  const user = await http.user(`${route.operation!.id} ${(users += 1)}`, 1_000);
  const client = api(http.url, route.url.startsWith('/admin/') ? adminToken : user.api.key);
  const { id } = (await user.api.post('/devices')).body.device;
  await http.network.link(id, `49151${String(1_000_000 + id)}`);
  const message = { toNumber: '4915112345678', message: 'x' };
  const waits = { ...message, sendAt: new Date(Date.now() + 86_400_000).toISOString() };
  const sent = route.url.includes('/scheduled/') ? waits : message;
  const { messageId } = (await user.api.post(`/devices/${id}/messages/text`, sent)).body;
  await Promise.all([addLabel(http, id), addStatuses(http, id)]);
  const owner = route.url.startsWith('/v1/devices/') ? `/devices/${id}` : '';
  const hook = { url: 'https://example.com', events: ['message.received'] };
  const { webhook } = (await user.api.post(`${owner}/webhooks`, hook)).body;
  const { key } = (await user.api.post('/keys', { name: 'key' })).body;
  const names = { id, deviceId: id, userId: user.id, messageId, keyId: key.id, webhookId: webhook.id };
  const others = { chat: '4915112345678', person: '4915112345678', group: '120363000000000001@g.us', callId: 'C' };
  const path = filled(route.url, {
    ...names,
    ...others,
    code: 'C',
    labelId: '1',
    statusId: route.url.endsWith('/reaction') ? 'THEIRS' : 'OWN',
    channel: '120363000000000003@newsletter',
    serverId: '101',
    community: '120363000000000002@g.us',
    deliveryId: '1',
    eventId: '1',
    number: '1',
  });
  return (body, query = '') => client.call(route.method, `${path}${query}`, body);
};
