/** Routes for labels of a phone, and of its chats and messages. */
import { list, oneOf, optional, readFields, readNothing, text, whole } from '../base/fields.ts';
import { assertCustom } from '../phones/companions/labels.ts';
import type { Phone } from '../phones/phone.ts';
import { type Network, phoneOf } from './network.ts';
import type { Routes } from './server.ts';

const maxColor = 19;

export const labelIds = list(text(64), 0, 100);

const labelsJson = async (phone: Phone): Promise<object> => {
  await phone.shareAppState();
  return { labels: phone.appState.labels.all };
};

export const labelRoutes = (network: Network): Routes => ({
  'GET /phones/{number}/labels': ({ params }) => labelsJson(phoneOf(network, params['number'])),
  'POST /phones/{number}/labels': async ({ params, body }) => {
    const phone = phoneOf(network, params['number']);
    const given = readFields(body, {
      name: text(100),
      color: optional(whole(0, maxColor)),
      type: optional(oneOf('unread', 'groups', 'favorites', 'predefined', 'custom')),
    });
    await phone.shareAppState();
    const id = phone.appState.labels.create(given.name, given.color ?? 0, given.type ?? 'custom');
    return { label: id, ...(await labelsJson(phone)) };
  },
  'PUT /phones/{number}/labels/{id}': async ({ params, body }) => {
    const phone = phoneOf(network, params['number']);
    const { name, color } = readFields(body, { name: optional(text(100)), color: optional(whole(0, maxColor)) });
    const id = params['id'] ?? '';
    await phone.shareAppState();
    assertCustom(phone.appState.labels, id);
    phone.appState.labels.change(id, { ...(name !== null && { name }), ...(color !== null && { color }) });
    return labelsJson(phone);
  },
  'DELETE /phones/{number}/labels/{id}': async ({ params, body }) => {
    readNothing(body);
    const phone = phoneOf(network, params['number']);
    const id = params['id'] ?? '';
    await phone.shareAppState();
    assertCustom(phone.appState.labels, id);
    phone.appState.labels.change(id, { deleted: true });
    return labelsJson(phone);
  },
});
