/** Calls of what is done to messages, of those that were sent and of those that wait for their time, to labels, and to statuses. */
import { channelCalls } from '../support/channels/fixture.ts';
import type { KeptLabel } from '../../src/domain/chats/label.ts';
import { statusCalls, statusesFor } from '../support/statuses/fixture.ts';
import type { Harness } from './harness.ts';

const dayMs = 86_400_000;

/** The id of a message that waits for its time. */
export const waitingFor = async ({ api }: Harness, device: number, body: object): Promise<string> => {
  const sendAt = new Date(Date.now() + dayMs).toISOString();
  return (await api.post(`/devices/${device}/messages/text`, { ...body, sendAt })).body.messageId;
};

const label: KeptLabel = {
  id: '1',
  name: 'x',
  color: 1,
  listType: 5,
  predefinedId: null,
  orderIndex: null,
  isImmutable: false,
};

/** The device has a label of its owner's, with the id 1. */
export const addLabel = ({ stores }: Pick<Harness, 'stores'>, device: number): Promise<unknown> =>
  stores.changes.commit(device, { labels: [{ id: label.id, label }] });

export const addStatuses = ({ stores }: Pick<Harness, 'stores'>, device: number): Promise<void> =>
  statusesFor(stores.changes, device, '4915112345678@s.whatsapp.net');

const labelTour = (id: number) =>
  ({
    listLabels: [id],
    createLabel: [id, { name: 'y', color: 2 }],
    updateLabel: [id, { color: 3 }, label.id],
    deleteLabel: [id, undefined, label.id],
  }) as const;

export const messageTour = (id: number, messageId: string, waitingId: string) =>
  ({
    listScheduled: [id],
    updateScheduled: [id, { message: 'y' }, waitingId],
    cancelScheduled: [id, undefined, waitingId],
    forwardMessage: [id, { toNumber: '4915112345678' }, messageId],
    editMessage: [id, { message: 'y' }, messageId],
    setReaction: [id, { reaction: '👍' }, messageId],
    setPin: [id, { pinned: true }, messageId],
    setStar: [id, { starred: true }, messageId],
    setMessageLabels: [id, { labels: [] }, messageId],
    deleteMessage: [id, undefined, messageId],
    ...channelCalls(id),
    ...labelTour(id),
    ...statusCalls(id),
  }) as const;
